// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients whose addresses name different nodes, and changes of who the members are. */
@Tag("quorum")
class MembersTest {
  private static final Duration LEASE = Duration.ofSeconds(10);

  private RedisNodes nodes;

  @BeforeEach
  void start() {
    nodes = new RedisNodes(5);
    QuorumMembers.found(address(0, 1, 2));
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private String address(int... chosen) {
    return "quorum:"
        + IntStream.of(chosen)
            .mapToObj(node -> "redis://" + nodes.network(node).hostAndPort())
            .collect(Collectors.joining(","))
        + ",?longest=10s";
  }

  private Holdfast open(int... chosen) {
    return Holdfast.builder(BackendProvider.backendAt(address(chosen))).leaseTime(LEASE).build();
  }

  @Test
  void a_client_that_names_another_third_node_does_not_become_a_second_holder() throws Exception {
    try (Holdfast holdfast = open(0, 1, 2)) {
      nodes.network(1).loseEverything();
      Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(60));
      nodes.network(1).cut();
      nodes.network(1).heal();
      try (Holdfast other = open(0, 1, 3)) {
        assertNeverGranted(other);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isTrue();
        Lease next = other.lock("held").acquire(Duration.ofSeconds(60));
        assertThat(next.token().value()).isGreaterThan(lease.token().value());
      }
    }
  }

  @Test
  void a_client_that_names_two_more_nodes_does_not_become_a_second_holder() throws Exception {
    try (Holdfast holdfast = open(0, 1, 2)) {
      nodes.network(2).loseEverything();
      Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(60));
      nodes.network(2).cut();
      nodes.network(2).heal();
      try (Holdfast other = open(0, 1, 2, 3, 4)) {
        assertNeverGranted(other);
        assertThat(lease.isHeld()).isTrue();
      }
    }
  }

  /** For longer than a node rests that has joined. */
  private static void assertNeverGranted(Holdfast other) {
    long end = System.nanoTime() + LEASE.plusSeconds(5).toNanos();
    while (System.nanoTime() - end < 0) {
      try {
        assertThat(other.lock("held").tryAcquire()).isEmpty();
      } catch (BackendException tooFew) {
        // Nothing was granted.
      }
      Eventually.pass(Duration.ofMillis(100));
    }
  }

  @Test
  void an_address_without_a_majority_of_the_members_is_refused() {
    assertThatThrownBy(() -> open(2, 3, 4).close())
        .isInstanceOfSatisfying(
            BackendException.class, refused -> assertThat(refused.isTransient()).isFalse())
        .hasMessageContaining("the address names no majority of them")
        .hasMessageContaining(nodes.network(0).hostAndPort());
  }

  @Test
  void a_node_is_replaced_while_locks_are_used_by_the_old_and_the_new_address() {
    changeWhileUsed(new int[] {0, 1, 2}, new int[] {0, 1, 3});
    nodes.server(2).kill();
    nodes.server(1).kill();
    try (Holdfast holdfast = open(0, 1, 3)) {
      assertThat(acquireInTheEnd(holdfast, "after").release()).isTrue();
    }
  }

  @Test
  void three_nodes_become_five_while_locks_are_used_by_the_old_and_the_new_address() {
    changeWhileUsed(new int[] {0, 1, 2}, new int[] {0, 1, 2, 3, 4});
    nodes.server(0).kill();
    nodes.server(1).kill();
    try (Holdfast holdfast = open(0, 1, 2, 3, 4)) {
      assertThat(acquireInTheEnd(holdfast, "after").release()).isTrue();
    }
  }

  private void changeWhileUsed(int[] before, int[] after) {
    History history = new History();
    List<String> locks = List.of("a", "b");
    try (Holdfast old = open(before);
        Holdfast holder = open(before);
        Crowd crowd =
            new Crowd(
                List.of(open(before), open(after), old, open(after)), LEASE, locks, history)) {
      Lease lease = holder.lock("kept").tryAcquire().orElseThrow();
      QuorumMembers.change(address(before), address(after));
      assertThat(acquireInTheEnd(old, "old").release()).isTrue();
      Eventually.untilRenewed(lease);
      assertThat(lease.isHeld()).isTrue();
      crowd.end();
    }
    assertThat(history.grants()).isPositive();
    assertThat(history.tokensThatDidNotGrow()).isEmpty();
    assertThat(history.overlapsExceptDuring(List.of())).isEmpty();
  }

  @Test
  void a_change_that_would_lose_leases_is_refused() {
    assertThatThrownBy(() -> QuorumMembers.change(address(0, 1, 2), address(0, 3, 4)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("change fewer at a time");
  }

  @Test
  void a_change_to_a_node_that_does_not_answer_is_not_begun() {
    nodes.server(3).kill();
    assertThatThrownBy(() -> QuorumMembers.change(address(0, 1, 2), address(0, 1, 3)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("must answer before the change begins");
    try (Holdfast holdfast = open(0, 1, 2)) {
      assertThat(acquireInTheEnd(holdfast, "after").release()).isTrue();
    }
  }

  private static Lease acquireInTheEnd(Holdfast holdfast, String name) {
    List<Lease> leases = new ArrayList<>(1);
    Eventually.until(
        "it is granted",
        () -> {
          try {
            holdfast.lock(name).tryAcquire().ifPresent(leases::add);
          } catch (BackendException notYet) {
            return false;
          }
          return !leases.isEmpty();
        });
    return leases.get(0);
  }
}
