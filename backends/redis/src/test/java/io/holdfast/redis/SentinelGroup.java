// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A primary, two replicas and three sentinels. */
final class SentinelGroup implements Deployment {
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  SentinelGroup() {
    this(RedisServer.binary());
  }

  SentinelGroup(String binary, String... options) {
    this(binary, null, options);
  }

  /** With sentinels that want a password, from each other too. */
  static SentinelGroup withSentinelPassword(String password, String... options) {
    return new SentinelGroup(RedisServer.binary(), password, options);
  }

  private SentinelGroup(String binary, @Nullable String password, String[] options) {
    RedisServer primary = RedisServer.startBinary(binary, options);
    servers.add(primary);
    for (int replica = 0; replica < 2; replica++) {
      servers.add(RedisServer.startBinary(binary, following(primary, options)));
    }
    for (int sentinel = 0; sentinel < 3; sentinel++) {
      List<String> lines = new ArrayList<>();
      lines.add("sentinel monitor mymaster 127.0.0.1 " + primary.port() + " 2");
      lines.add("sentinel down-after-milliseconds mymaster 1000");
      lines.add("sentinel failover-timeout mymaster 5000");
      if (password != null) {
        lines.add("requirepass " + password);
        lines.add("sentinel sentinel-pass " + password);
      }
      sentinels.add(RedisServer.startSentinel(binary, lines));
    }
    Eventually.until("the replicas follow", () -> replicas(primary) == 2);
    for (RedisServer sentinel : sentinels) {
      Eventually.until("the sentinels know all", () -> knowsAll(sentinel));
    }
  }

  private static String[] following(RedisServer primary, String[] options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--replicaof", "127.0.0.1", Integer.toString(primary.port())));
    return all.toArray(String[]::new);
  }

  /** How many replicas have caught up; until then they cannot be promoted. */
  static long replicas(RedisServer primary) {
    return primary
        .call("INFO", "replication")
        .toString()
        .lines()
        .filter(line -> line.contains("state=online"))
        .count();
  }

  private static boolean knowsAll(RedisServer sentinel) {
    List<?> fields = (List<?>) sentinel.call("SENTINEL", "MASTER", "mymaster");
    return fields.get(fields.indexOf("num-slaves") + 1).equals("2")
        && fields.get(fields.indexOf("num-other-sentinels") + 1).equals("2");
  }

  @Override
  public String address() {
    return "redis-sentinel://"
        + String.join(",", sentinels.stream().map(RedisServer::hostAndPort).toList())
        + "/mymaster?timeout=2s";
  }

  /** The server that the sentinels call the primary now. */
  RedisServer primary() {
    List<?> place =
        (List<?>) sentinels.get(0).call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster");
    return servers.stream()
        .filter(server -> Integer.toString(server.port()).equals(place.get(1)))
        .findFirst()
        .orElseThrow();
  }

  List<RedisServer> sentinels() {
    return sentinels;
  }

  /** Has the primary refuse to become a replica: it goes on as one after a fail-over. */
  RedisServer keepPrimary() {
    RedisServer primary = primary();
    primary.call("ACL", "SETUSER", "default", "-replicaof", "-slaveof");
    return primary;
  }

  /** Has the replicas hear of nothing that the primary does from now on. */
  void stopReplication() {
    RedisServer primary = primary();
    primary.call("ACL", "SETUSER", "default", "-psync", "-sync");
    primary.call("CLIENT", "KILL", "TYPE", "replica");
    Eventually.until("no replica follows", () -> replicas(primary) == 0);
  }

  @Override
  public void restart() {
    failOver();
  }

  /** Has a replica promoted, while the old primary goes on. */
  void failOver() {
    RedisServer before = primary();
    Eventually.until("a fail-over begins", this::askForFailOver);
    Eventually.until("a fail-over is done", () -> primary() != before);
  }

  private boolean askForFailOver() {
    try {
      return sentinels.get(0).call("SENTINEL", "FAILOVER", "mymaster").equals("OK");
    } catch (RedisWire.ErrorReply notYet) {
      return false;
    }
  }

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
