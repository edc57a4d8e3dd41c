// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clocks that move against each other: those of a process, and those of nodes. */
@Tag("quorum")
class ClocksTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int LOOKS = 5;

  private SettableClocks clocks;
  private RedisNodes nodes;

  @BeforeEach
  void start() {
    clocks = new SettableClocks();
    nodes = new RedisNodes(List.of(clocks.start(), clocks.start(), clocks.start()));
    nodes.found("longest=30s");
  }

  @AfterEach
  void stop() {
    nodes.close();
    clocks.close();
  }

  private Holdfast open(TimeSource time) {
    return Holdfast.builder(QuorumBackend.builder(nodes.stores()).longestLease(LEASE).build())
        .leaseTime(LEASE)
        .time(time)
        .build();
  }

  /** Nodes that were told to rest give no votes until then. */
  private List<Object> rests() {
    List<Object> rests = new ArrayList<>();
    for (int node = 0; node < nodes.size(); node++) {
      rests.add(nodes.server(node).call("HGET", "hf:quorum", "rest"));
    }
    return rests;
  }

  @Test
  void a_process_whose_clocks_stood_still_makes_no_node_rest() {
    List<Object> before = rests();
    ProcessClock time = new ProcessClock(1);
    try (Holdfast bystander = open(new ProcessClock(1));
        Holdfast holdfast = open(time)) {
      Lease lease = bystander.lock("bystander").tryAcquire().orElseThrow();
      for (int look = 0; look < LOOKS; look++) {
        awaitLook();
        time.standStill(Duration.ofMillis(60));
        acquireInTheEnd(holdfast, "own").release();
      }
      awaitLook();
      assertThat(rests()).isEqualTo(before);
      assertThat(lease.isHeld()).isTrue();
      assertThat(lease.release()).isTrue();
    }
  }

  @Test
  void the_leases_of_a_process_whose_clocks_stood_still_end_that_much_earlier() {
    ProcessClock time = new ProcessClock(1);
    try (Holdfast holdfast = open(time)) {
      Lease lease = holdfast.lock("own").withoutRenewal().tryAcquire().orElseThrow();
      awaitLook();
      long begin = time.now().monotonicNanos();
      long left = lease.remaining().toNanos();
      time.standStill(Duration.ofSeconds(2));
      Eventually.until(
          "it is shortened",
          () -> {
            long passed = time.now().monotonicNanos() - begin;
            return lease.remaining().toNanos() < left - passed - Duration.ofSeconds(1).toNanos();
          });
    }
  }

  @Test
  void a_process_whose_clocks_are_slewed_makes_no_node_rest_and_is_granted_locks() {
    List<Object> before = rests();
    try (Holdfast bystander = open(new ProcessClock(1));
        Holdfast slow = open(new ProcessClock(0.92));
        Holdfast fast = open(new ProcessClock(1.08))) {
      Lease lease = bystander.lock("bystander").tryAcquire().orElseThrow();
      for (int look = 0; look < LOOKS; look++) {
        awaitLook();
        acquireInTheEnd(slow, "slow").release();
        acquireInTheEnd(fast, "fast").release();
      }
      assertThat(rests()).isEqualTo(before);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void a_process_is_granted_locks_after_the_clocks_of_most_nodes_were_set_forward() {
    try (Holdfast holdfast = open(new ProcessClock(1))) {
      acquireInTheEnd(holdfast, "before").release();
      clocks.set(0, Duration.ofSeconds(5));
      clocks.set(1, Duration.ofSeconds(5));
      acquireInTheEnd(holdfast, "after").release();
    }
  }

  /** Each client asks each node for its time about once in a second. */
  private void awaitLook() {
    RedisServer server = nodes.server(0);
    long before = looks(server);
    Eventually.until("the nodes were looked at", () -> looks(server) >= before + 6);
  }

  private static long looks(RedisServer server) {
    return RedisNodes.calls(server).getOrDefault("time", 0L);
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
