// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** The clients of one test, and what the server counts of them. */
final class Clients implements AutoCloseable {
  private final List<Holdfast> opened = new ArrayList<>();

  /** A client that makes no local passes: the server's order is seen. */
  Holdfast open(String hostAndPort, Duration leaseTime) {
    return openAt("redis://" + hostAndPort + "?timeout=2s", leaseTime);
  }

  Holdfast openAt(String address, Duration leaseTime) {
    return openCountedAt(address, leaseTime, new AtomicLong());
  }

  /** A client that counts the leases that it renews. */
  Holdfast openCounted(String hostAndPort, Duration leaseTime, AtomicLong renewals) {
    return openCountedAt("redis://" + hostAndPort + "?timeout=2s", leaseTime, renewals);
  }

  private Holdfast openCountedAt(String address, Duration leaseTime, AtomicLong renewals) {
    LockListener counting =
        new LockListener() {
          @Override
          public void renewed(Renewed event) {
            renewals.incrementAndGet();
          }
        };
    Holdfast holdfast =
        Holdfast.builder(BackendProvider.backendAt(address))
            .leaseTime(leaseTime)
            .localPasses(0, Duration.ZERO)
            .listener(counting)
            .shutdownHook(false)
            .build();
    opened.add(holdfast);
    return holdfast;
  }

  List<Holdfast> open(int count, RedisServer server, Duration leaseTime) {
    List<Holdfast> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(open(server.hostAndPort(), leaseTime));
    }
    return clients;
  }

  /** How often each command was called, as the server counts; without those inside of scripts. */
  static Map<String, Long> calls(RedisServer server) {
    Map<String, Long> calls = new TreeMap<>();
    server
        .call("INFO", "commandstats")
        .toString()
        .lines()
        .filter(line -> line.startsWith("cmdstat_"))
        .forEach(
            line ->
                calls.put(
                    line.substring("cmdstat_".length(), line.indexOf(':')),
                    Long.valueOf(line.replaceAll(".*:calls=(\\d+),.*", "$1"))));
    return calls;
  }

  static long scripts(RedisServer server) {
    Map<String, Long> calls = calls(server);
    return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
  }

  static long published(RedisServer server) {
    return calls(server).getOrDefault("publish", 0L);
  }

  /** So many stand in the queue of a lock. */
  static void awaitWaiters(Holdfast holdfast, String name, int count) {
    Eventually.until(
        count + " wait for " + name, () -> holdfast.inspect(name).waiters().size() == count);
  }

  @Override
  public void close() {
    opened.forEach(Holdfast::close);
  }
}
