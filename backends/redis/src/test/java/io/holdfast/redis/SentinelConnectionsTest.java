// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.Ports;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.TestAuthority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The connections to sentinels: one to each, mended when they break, and closed with the client.
 */
@Tag("redis")
class SentinelConnectionsTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Clients clients = new Clients();

  @AfterEach
  void close() {
    clients.close();
  }

  /** Nothing but clients of Holdfast subscribes at a sentinel. */
  private static long subscribed(RedisServer sentinel) {
    return sentinel.call("CLIENT", "LIST", "TYPE", "pubsub").toString().lines().count();
  }

  /** All but those of other sentinels and the one that asks. */
  private static long connected(RedisServer sentinel) {
    return sentinel
        .call("CLIENT", "LIST")
        .toString()
        .lines()
        .filter(line -> !line.contains(" name=sentinel-") && !line.contains(" cmd=client"))
        .count();
  }

  private static void awaitSubscribed(SentinelGroup group, long clients) {
    for (RedisServer sentinel : group.sentinels()) {
      Eventually.until("so many are subscribed", () -> subscribed(sentinel) == clients);
    }
  }

  private static void awaitConnected(SentinelGroup group, long connections) {
    for (RedisServer sentinel : group.sentinels()) {
      Eventually.until("so many are connected", () -> connected(sentinel) == connections);
    }
  }

  @Test
  void there_is_one_to_each_sentinel_which_is_made_anew_and_closed_with_the_client() {
    try (SentinelGroup group = new SentinelGroup()) {
      Holdfast one = clients.openAt(group.address(), LEASE);
      awaitSubscribed(group, 1);
      for (int round = 0; round < 3; round++) {
        for (RedisServer sentinel : group.sentinels()) {
          sentinel.call("CLIENT", "KILL", "TYPE", "pubsub");
        }
        group.primary().call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        Eventually.until("it is served", () -> isServed(one));
        awaitSubscribed(group, 1);
      }
      awaitConnected(group, 1);
      one.close();
      awaitConnected(group, 0);
    }
  }

  private static boolean isServed(Holdfast holdfast) {
    try {
      return holdfast.lock("served").tryAcquire().map(Lease::release).orElse(false);
    } catch (BackendException notYet) {
      return false;
    }
  }

  @Test
  void locks_go_on_without_any_sentinel_and_connections_are_made_where_the_primary_was_last()
      throws Exception {
    try (SentinelGroup group = new SentinelGroup()) {
      RedisServer primary = group.primary();
      Holdfast one = clients.openAt(group.address(), LEASE);
      Lease lease = one.lock("n").acquire(LONG);
      group.sentinels().forEach(RedisServer::kill);
      assertThat(isServed(one)).isTrue();
      primary.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      primary.call("CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes");
      Eventually.until("it is served", () -> isServed(one));
      lease.renew();
      assertThat(lease.isHeld()).isTrue();
      group.sentinels().forEach(RedisServer::restart);
      awaitSubscribed(group, 1);
      group.failOver();
      Eventually.until(
          "it is served by the new primary",
          () -> isServed(one) && Clients.scripts(group.primary()) > 0);
    }
  }

  @Test
  void a_fail_over_of_another_service_changes_nothing() throws Exception {
    try (SentinelGroup group = new SentinelGroup();
        RedisServer another = RedisServer.start();
        RedisServer replica =
            RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(another.port()))) {
      Eventually.until("the replica follows", () -> SentinelGroup.replicas(another) == 1);
      RedisServer sentinel = group.sentinels().get(0);
      sentinel.call(
          "SENTINEL", "MONITOR", "mymaster2", "127.0.0.1", Integer.toString(another.port()), "1");
      Holdfast one = clients.openAt(group.address(), LEASE);
      Lease lease = one.lock("n").acquire(LONG);
      List<String> before = ids(group.primary());
      Eventually.until("it begins", () -> isBegun(sentinel, "mymaster2"));
      String now = Integer.toString(replica.port());
      Eventually.until("it is done", () -> primaryPort(sentinel, "mymaster2").equals(now));
      lease.renew();
      assertThat(ids(group.primary())).isEqualTo(before);
    }
  }

  private static boolean isBegun(RedisServer sentinel, String service) {
    try {
      return sentinel.call("SENTINEL", "FAILOVER", service).equals("OK");
    } catch (RuntimeException notYet) {
      return false;
    }
  }

  private static Object primaryPort(RedisServer sentinel, String service) {
    return ((List<?>) sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", service)).get(1);
  }

  private static List<String> ids(RedisServer server) {
    return server
        .call("CLIENT", "LIST", "TYPE", "pubsub")
        .toString()
        .lines()
        .filter(line -> !line.contains(" name=sentinel-"))
        .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
        .sorted()
        .toList();
  }

  @Test
  void a_service_that_no_sentinel_knows_is_named() {
    try (SentinelGroup group = new SentinelGroup()) {
      assertThatThrownBy(
              () -> clients.openAt(group.address().replace("mymaster", "nomaster"), LEASE))
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("does not know a primary by the name 'nomaster'");
    }
  }

  @Test
  void sentinels_are_asked_with_tls_too(@TempDir Path directory) {
    TestAuthority.Issued issued = new TestAuthority(directory).issue("ip:127.0.0.1");
    int port = Ports.free();
    int sentinelPort = Ports.free();
    List<String> lines = new ArrayList<>();
    lines.add("sentinel monitor mymaster 127.0.0.1 " + port + " 1");
    lines.add("tls-replication yes");
    String[] options = issued.serverOptions(sentinelPort);
    for (int i = 0; i < options.length; i += 2) {
      lines.add(options[i].substring(2) + " " + options[i + 1]);
    }
    try (RedisServer server = RedisServer.start(issued.serverOptions(port));
        RedisServer sentinel = RedisServer.startSentinel(lines)) {
      Holdfast one =
          clients.openAt(
              "redis-sentinel://127.0.0.1:"
                  + sentinelPort
                  + "/mymaster?timeout=4s&tls=true&ca="
                  + issued.authority(),
              LEASE);
      assertThat(isServed(one)).isTrue();
      assertThat(subscribed(sentinel)).isEqualTo(1);
      assertThat(Clients.scripts(server)).isPositive();
      one.close();
      Eventually.until("it is closed", () -> subscribed(sentinel) == 0);
    }
  }
}
