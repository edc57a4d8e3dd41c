// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All connections of a client lead to one server, also where one address leads to another server
 * after a fail-over and only one connection has found out.
 */
@Tag("redis")
class OnePrimaryTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Clients clients = new Clients();
  private RedisServer old;
  private RedisServer next;
  private RedisServer oldReplica;
  private RedisServer nextReplica;
  private FaultyProxy address;
  private Holdfast holdfast;

  @BeforeEach
  void start() throws Exception {
    old = RedisServer.start();
    next = RedisServer.start();
    oldReplica = replicaOf(old);
    nextReplica = replicaOf(next);
    address = new FaultyProxy(old.port());
    String at = "redis://" + address.hostAndPort() + "?timeout=2s&replicas=1";
    holdfast = clients.openAt(at, LEASE);
    holdfast.lock("n").acquire(LONG).release();
  }

  private static RedisServer replicaOf(RedisServer primary) {
    RedisServer replica =
        RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
    Eventually.until("the replica follows", () -> SentinelGroup.replicas(primary) == 1);
    return replica;
  }

  @AfterEach
  void stop() {
    clients.close();
    address.close();
    List.of(oldReplica, nextReplica, old, next).forEach(RedisServer::close);
  }

  /** The ids of connections whose last command was this one. */
  private static List<String> connections(RedisServer server, String command) {
    return server
        .call("CLIENT", "LIST")
        .toString()
        .lines()
        .filter(line -> line.contains(" cmd=" + command + " "))
        .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
        .toList();
  }

  private void breakConnection(String command) {
    address.leadTo(next.port());
    List<String> ids = connections(old, command);
    assertThat(ids).hasSize(1);
    old.call("CLIENT", "KILL", "ID", ids.get(0));
  }

  private void assertAllMoved() throws Exception {
    Eventually.until(
        "no connection is left",
        () ->
            old.call("CLIENT", "LIST")
                .toString()
                .lines()
                .allMatch(
                    line -> line.contains(" cmd=client|list ") || line.contains(" flags=S ")));
    Lease lease = holdfast.lock("n").acquire(LONG);
    assertThat(next.call("GET", "lock:n")).isEqualTo(lease.holder().toString());
    assertThat(old.call("EXISTS", "lock:n")).isEqualTo(0L);
    assertThat(lease.release()).isTrue();
  }

  @Test
  void when_that_for_commands_has_found_out() throws Exception {
    assertThat(holdfast.list("", 1)).isEmpty();
    breakConnection("scan");
    assertAllMoved();
  }

  @Test
  void when_that_for_messages_has_found_out() throws Exception {
    breakConnection("subscribe");
    assertAllMoved();
  }

  @Test
  void when_that_for_acknowledged_writes_has_found_out() throws Exception {
    breakConnection("wait");
    assertAllMoved();
  }

  @Test
  void a_lease_that_the_other_server_does_not_know_is_lost_at_once() throws Exception {
    Lease lease = holdfast.lock("held").acquire(LONG);
    breakConnection("subscribe");
    assertThat(lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isIn(LossCause.GONE, LossCause.TAKEN);
  }
}
