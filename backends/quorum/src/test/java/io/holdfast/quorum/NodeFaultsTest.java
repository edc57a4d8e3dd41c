// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to leases and nodes when nodes fail. */
@Tag("quorum")
class NodeFaultsTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private SettableClocks clocks;
  private RedisNodes nodes;
  private Witness witness;
  private Holdfast holdfast;

  @BeforeEach
  void start() {
    clocks = new SettableClocks();
    List<RedisServer> servers = new ArrayList<>();
    for (int node = 0; node < 5; node++) {
      servers.add(clocks.start());
    }
    nodes = new RedisNodes(servers);
    nodes.found("longest=10s");
    witness = new Witness();
    holdfast = open();
    nodes.awaitMembers();
  }

  private Holdfast open() {
    return Holdfast.builder(
            QuorumBackend.builder(nodes.stores()).longestLease(LEASE).listener(witness).build())
        .leaseTime(LEASE)
        .build();
  }

  @AfterEach
  void stop() {
    holdfast.close();
    nodes.close();
    clocks.close();
  }

  @Test
  void a_lease_outlives_the_death_of_two_nodes_and_is_lost_with_the_third() throws Exception {
    Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(30));
    nodes.server(0).kill();
    nodes.server(1).kill();
    Eventually.untilRenewed(lease);
    assertThat(lease.isHeld()).isTrue();
    nodes.server(2).kill();
    LossCause cause = lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(cause).isEqualTo(LossCause.UNREACHABLE);
  }

  @Test
  void a_failure_says_what_became_of_each_node() {
    for (int node = 0; node < 3; node++) {
      nodes.server(node).kill();
    }
    assertThatThrownBy(() -> holdfast.lock("wanted").tryAcquire())
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("2 of 5 nodes")
        .hasMessageContaining("3 are needed")
        .hasMessageContaining(nodes.network(0).hostAndPort())
        .hasMessageContaining(nodes.network(4).hostAndPort() + ": granted");
    for (int node = 3; node < 5; node++) {
      RedisServer up = nodes.server(node);
      Eventually.until(
          "the votes were taken back", () -> up.call("GET", "lock:wanted").equals(RedisWire.NIL));
    }
  }

  @Test
  void a_release_reaches_a_node_that_was_silent_when_it_was_sent() throws Exception {
    nodes.server(4).pause();
    Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(30));
    assertThat(lease.release()).isTrue();
    nodes.server(4).resume();
    Eventually.until(
        "no vote is left", () -> nodes.server(4).call("GET", "lock:held").equals(RedisWire.NIL));
    assertThat(holdfast.lock("held").tryAcquire()).isPresent();
  }

  @Test
  void a_node_that_lost_its_data_joins_again_with_the_tokens_of_the_others_and_rests()
      throws Exception {
    long newest = 0;
    for (int node = 0; node < 5; node++) {
      Lease lease = holdfast.lock("counted").acquire(Duration.ofSeconds(30));
      assertThat(lease.token().value()).isGreaterThan(newest);
      newest = lease.token().value();
      RedisServer victim = nodes.server(node);
      victim.kill();
      victim.restart();
      Eventually.until("it has joined", () -> RedisNodes.isMember(victim));
      assertThat(number(victim, "newest")).isGreaterThanOrEqualTo(newest);
      assertThat(number(victim, "rest")).isPositive();
      String name = "redis://" + nodes.network(node).hostAndPort();
      Eventually.until(
          "it is seen",
          () -> witness.changesOf(name).stream().anyMatch(change -> !change.takesPart()));
      assertThat(lease.isHeld()).isTrue();
      assertThat(lease.release()).isTrue();
      Eventually.until("it takes part again", () -> takesPart(name));
    }
    assertThat(acquireInTheEnd("counted").token().value()).isGreaterThan(newest);
  }

  private boolean takesPart(String node) {
    List<QuorumListener.Changed> changes = witness.changesOf(node);
    return changes.get(changes.size() - 1).takesPart();
  }

  private static long number(RedisServer server, String field) {
    return Long.parseLong(server.call("HGET", "hf:quorum", field).toString());
  }

  @Test
  void a_node_that_rests_is_shown_by_inspect_and_by_the_guarantees() {
    nodes.server(4).call("FLUSHALL");
    String name = "redis://" + nodes.network(4).hostAndPort();
    Eventually.until(
        "inspect shows it",
        () ->
            holdfast.inspect("any").notes().stream()
                .anyMatch(note -> note.contains(name) && note.contains("gives no votes")));
    assertThat(holdfast.guarantees().survives()).contains("4 of 5 nodes take part").contains(name);
    Eventually.until("all is well again", () -> holdfast.inspect("any").notes().isEmpty());
    assertThat(holdfast.guarantees().survives()).doesNotContain("at present");
  }

  @Test
  void a_vote_that_a_node_has_forgotten_does_not_make_a_second_holder() throws Exception {
    nodes.network(3).loseEverything();
    nodes.network(4).loseEverything();
    Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(30));
    for (int node = 3; node < 5; node++) {
      // Cut first: a request that still waits in the network must not become a vote after all.
      nodes.network(node).cut();
      nodes.network(node).heal();
    }
    RedisServer forgetful = nodes.server(0);
    forgetful.kill();
    forgetful.restart();
    // Three nodes have no vote for the lock now: a majority, if the forgetful one counted.
    try (Holdfast other = open()) {
      Eventually.until(
          "the lock is free",
          () -> {
            Optional<Lease> next = other.lock("held").tryAcquire();
            next.ifPresent(granted -> assertThat(lease.isHeld()).isFalse());
            return next.isPresent();
          });
    }
  }

  @Test
  void a_node_whose_clock_was_set_is_left_out() {
    String name = "redis://" + nodes.network(2).hostAndPort();
    clocks.set(2, Duration.ofSeconds(40));
    Eventually.until(
        "it is seen",
        () ->
            witness.changesOf(name).stream()
                .anyMatch(change -> change.reason().contains("its clock was set")));
    assertThat(number(nodes.server(2), "rest")).isPositive();
    Lease lease = acquireInTheEnd("held");
    assertThat(nodes.server(2).call("GET", "lock:held")).isEqualTo(RedisWire.NIL);
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_server_that_was_started_anew_is_not_trusted_whatever_it_read_from_its_disk() {
    holdfast.lock("warm").tryAcquire().orElseThrow().release();
    RedisServer server = nodes.server(1);
    server.call("SAVE");
    long before = number(server, "epoch");
    server.kill();
    server.restart();
    assertThat(server.call("EXISTS", "hf:quorum")).isEqualTo(1L);
    Eventually.until("it has joined anew", () -> number(server, "epoch") > before);
    assertThat(number(server, "rest")).isPositive();
  }

  @Test
  void a_waiter_is_woken_when_the_lock_is_released_also_with_two_nodes_down() throws Exception {
    nodes.server(0).kill();
    nodes.network(1).loseEverything();
    Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(30));
    try (Holdfast other = open()) {
      var waiter = other.lock("held").async().tryAcquire(Duration.ofMinutes(2));
      Eventually.until(
          "it waits", () -> nodes.server(4).call("ZCARD", "{lock:held}:callers").equals(1L));
      long token = lease.token().value();
      assertThat(lease.release()).isTrue();
      Optional<Lease> next = waiter.get(60, TimeUnit.SECONDS);
      assertThat(next.orElseThrow().token().value()).isGreaterThan(token);
    }
  }

  /** A node may have been seen to rest a moment longer than it does. */
  private Lease acquireInTheEnd(String name) {
    List<Lease> leases = new ArrayList<>(1);
    Eventually.until(
        "it is granted",
        () -> {
          holdfast.lock(name).tryAcquire().ifPresent(leases::add);
          return !leases.isEmpty();
        });
    return leases.get(0);
  }
}
