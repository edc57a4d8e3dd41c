// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks in a cluster: each at the server of its slot. */
@Tag("redis")
class ClusterTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static RedisCluster cluster;

  private final Clients clients = new Clients();

  @BeforeAll
  static void start() {
    cluster = new RedisCluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void a_waiter_is_handed_the_lock_by_a_message_in_its_slot() throws Exception {
    Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
    Holdfast other = clients.openAt(cluster.address(), Duration.ofMinutes(1));
    for (String name : List.of("a", "b", "c", "a{b}", "a}b", "{}a")) {
      RedisServer server = cluster.primaryOf(Slots.of("lock:" + name));
      Lease held = one.lock(name).acquire(LONG);
      CompletableFuture<Optional<Lease>> waiter = other.lock(name).async().tryAcquire(LONG);
      Clients.awaitWaiters(one, name, 1);
      long published = Clients.calls(server).getOrDefault("spublish", 0L);
      held.release();
      Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
      assertThat(Clients.calls(server).getOrDefault("spublish", 0L) - published).isEqualTo(1);
      assertThat(next.token().isNewerThan(held.token())).isTrue();
      next.release();
    }
  }

  @Test
  void locks_of_all_slots_are_listed_and_a_forced_release_is_told() throws Exception {
    Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
    Holdfast other = clients.openAt(cluster.address(), Duration.ofMinutes(1));
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      leases.add(one.lock("list/" + (10 + i)).acquire(LONG));
    }
    assertThat(other.list("list/", 100)).hasSize(30);
    assertThat(other.forceRelease("list/17", leases.get(7).token(), "a test")).isTrue();
    assertThat(leases.get(7).loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isEqualTo(LossCause.FORCED);
    leases.remove(7);
    leases.forEach(Lease::release);
    assertThat(other.list("list/", 100)).isEmpty();
  }

  @Test
  void a_slot_that_has_moved_is_found() throws Exception {
    Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
    String name = "moving";
    int slot = Slots.of("lock:" + name);
    one.lock(name).acquire(LONG).release();
    RedisServer from = cluster.primaryOf(slot);
    RedisServer to = cluster.primaries().stream().filter(p -> p != from).findFirst().orElseThrow();
    from.call("DEL", "{lock:" + name + "}:fence");
    move(slot, to);
    try {
      Lease lease = one.lock(name).acquire(LONG);
      assertThat(lease.isHeld()).isTrue();
      assertThat(lease.release()).isTrue();
      to.call("DEL", "{lock:" + name + "}:fence");
    } finally {
      move(slot, from);
    }
  }

  @Test
  void while_a_slot_migrates_leases_are_renewed_and_released() throws Exception {
    Holdfast one = clients.openAt(cluster.address(), Duration.ofSeconds(15));
    String name = "migrating";
    String slot = Integer.toString(Slots.of("lock:" + name));
    Lease lease = one.lock(name).acquire(LONG);
    RedisServer from = cluster.primaryOf(Slots.of("lock:" + name));
    RedisServer to = cluster.primaries().stream().filter(p -> p != from).findFirst().orElseThrow();
    to.call("CLUSTER", "SETSLOT", slot, "IMPORTING", from.call("CLUSTER", "MYID").toString());
    from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", to.call("CLUSTER", "MYID").toString());
    try {
      Eventually.untilRenewed(lease);
      assertThat(lease.isHeld()).isTrue();
      assertThat(lease.release()).isTrue();
    } finally {
      from.call("CLUSTER", "SETSLOT", slot, "STABLE");
      to.call("CLUSTER", "SETSLOT", slot, "STABLE");
    }
  }

  /** Often: one in twenty came before Lettuce was ready to hear it. */
  @RepeatedTest(50)
  void a_wrong_password_is_a_refusal() {
    String address = cluster.address().replace("//", "//nobody:wrong@");
    assertThatThrownBy(() -> clients.openAt(address, LONG))
        .hasMessageContaining("WRONGPASS")
        .isInstanceOfSatisfying(
            BackendException.class, refusal -> assertThat(refusal.isTransient()).isFalse());
  }

  private static void move(int slot, RedisServer to) {
    String id = to.call("CLUSTER", "MYID").toString();
    to.call("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id);
    for (RedisServer server : cluster.primaries()) {
      server.call("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id);
    }
  }
}
