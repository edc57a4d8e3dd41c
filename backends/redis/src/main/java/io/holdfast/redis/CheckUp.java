// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** What an operator should know of the servers that keep the locks. */
final class CheckUp {
  private static final Duration MUCH_OFFSET = Duration.ofSeconds(1);

  private static final String PERSISTENCE = "persistence";
  private static final String REPLICAS = "replicas";
  private static final Set<String> NOT_OF_NODES = Set.of(PERSISTENCE, REPLICAS);

  private CheckUp() {}

  /** Asks every primary, one after the other. */
  static CompletableFuture<List<Finding>> of(Topology topology, RedisSettings settings) {
    CompletableFuture<List<Finding>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (Server server : topology.servers()) {
      all = all.thenCombine(of(server, settings), CheckUp::joined);
    }
    return all;
  }

  private static List<Finding> joined(List<Finding> one, List<Finding> other) {
    List<Finding> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }

  /**
   * Of the node of a quorum, whose replicas count for nothing, and which is not trusted after a
   * restart, whatever it kept.
   */
  static CompletableFuture<List<Finding>> ofNode(Server server, RedisSettings settings) {
    return of(server, settings)
        .thenApply(
            findings ->
                findings.stream()
                    .filter(finding -> !NOT_OF_NODES.contains(finding.subject()))
                    .toList());
  }

  private static CompletableFuture<List<Finding>> of(Server server, RedisSettings settings) {
    return server
        .wire()
        .thenCompose(
            wire ->
                wire.send(commands -> commands.info())
                    .thenCombine(
                        wire.send(commands -> commands.time()),
                        (info, time) ->
                            findings(
                                wire.place().toString(),
                                ServerInfo.parse(info),
                                offset(time),
                                settings)));
  }

  /** By all primaries together; those inside of scripts included. */
  static CompletableFuture<OptionalLong> executedCommands(Topology topology) {
    CompletableFuture<Long> sum = CompletableFuture.completedFuture(0L);
    for (Server server : topology.servers()) {
      sum = sum.thenCombine(executedCommands(server), Long::sum);
    }
    return sum.thenApply(OptionalLong::of);
  }

  private static CompletableFuture<Long> executedCommands(Server server) {
    return server
        .wire()
        .thenCompose(wire -> wire.send(commands -> commands.info("stats")))
        .thenApply(info -> number(ServerInfo.parse(info).fields(), "total_commands_processed"));
  }

  /** How far the server's clock is ahead of ours, less than a round trip in error. */
  private static Duration offset(List<String> time) {
    Instant theirs =
        Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
    return Duration.between(Instant.now(), theirs);
  }

  private static List<Finding> findings(
      String server, ServerInfo info, Duration offset, RedisSettings settings) {
    Map<String, String> fields = info.fields();
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.good("server", server + ", Redis " + info.version()));
    findings.add(clock(offset));
    findings.add(persistence(fields));
    findings.add(
        Finding.good("eviction policy", fields.getOrDefault("maxmemory_policy", "noeviction")));
    findings.add(memory(fields));
    findings.add(replicas(fields, settings));
    findings.add(
        Finding.good(
            "permissions",
            "the commands of the check-up are allowed; 'holdfast schema' prints the least rule"));
    return findings;
  }

  private static Finding clock(Duration offset) {
    String seen = offset.toMillis() + " ms from ours";
    return offset.abs().compareTo(MUCH_OFFSET) > 0
        ? Finding.caution(
            "clock offset",
            seen,
            "harmless for locks, which count by the server's clock alone; but a clock that is set"
                + " while locks are held ends them early: run NTP")
        : Finding.good("clock offset", seen);
  }

  private static Finding persistence(Map<String, String> fields) {
    return fields.getOrDefault("aof_enabled", "0").equals("1")
        ? Finding.good(PERSISTENCE, "append-only file")
        : Finding.caution(
            PERSISTENCE,
            "no append-only file: a restart forgets locks that are held",
            "set 'appendonly yes', or restart it later than the longest lease");
  }

  private static Finding memory(Map<String, String> fields) {
    long used = number(fields, "used_memory");
    long limit = number(fields, "maxmemory");
    String seen =
        (used >> 20) + " MiB used of " + (limit == 0 ? "no limit" : (limit >> 20) + " MiB");
    return limit > 0 && used > limit / 10 * 9
        ? Finding.caution("memory", seen, "a full server grants nothing: raise maxmemory")
        : Finding.good("memory", seen);
  }

  private static Finding replicas(Map<String, String> fields, RedisSettings settings) {
    int present = (int) number(fields, "connected_slaves");
    int required = settings.replicas().required(present);
    String seen = present + " connected, " + required + " must acknowledge";
    if (present < required) {
      return Finding.bad(REPLICAS, seen, "nothing is granted until so many are connected");
    }
    return present > 0 && required == 0
        ? Finding.caution(
            REPLICAS,
            seen,
            "a fail-over may forget a lock that is held: add '?replicas=1', or accept it")
        : Finding.good(REPLICAS, seen);
  }

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(fields.getOrDefault(name, "0"));
  }
}
