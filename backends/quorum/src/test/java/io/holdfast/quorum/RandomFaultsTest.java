// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that use a few locks while the nodes are killed, stopped, cut off, emptied, and have
 * their clocks set, by a schedule that follows from a seed. {@code -Dholdfast.faults.seconds=300
 * -Dholdfast.faults.seed=7} runs another one, for longer.
 */
@Tag("quorum")
class RandomFaultsTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int CLIENTS = 5;
  private static final List<String> LOCKS = List.of("a", "b", "c");

  @Test
  void tokens_grow_and_nobody_holds_a_lock_twice_whatever_befalls_a_minority_of_the_nodes() {
    long seed = Long.getLong("holdfast.faults.seed", 20251L);
    long usual = System.getProperty("holdfast.seeds") == null ? 45 : 300;
    Duration time = Duration.ofSeconds(Long.getLong("holdfast.faults.seconds", usual));
    try (SettableClocks clocks = new SettableClocks();
        RedisNodes nodes = new RedisNodes(servers(clocks))) {
      nodes.found("longest=2s");
      History history = new History();
      Schedule schedule = new Schedule(seed, nodes, clocks);
      try (Crowd crowd = new Crowd(nodes, LEASE, LOCKS, history, CLIENTS)) {
        schedule.run(time);
        crowd.end();
      }
      schedule.heal();
      System.out.println("quorum: seed " + seed + ": " + schedule + "; " + history);
      assertThat(history.grants()).as("progress").isGreaterThan(20);
      assertThat(history.tokensThatDidNotGrow()).isEmpty();
      assertThat(history.overlapsExceptDuring(schedule.clockFaults())).isEmpty();
      assertAllBecomesFree(nodes);
    }
  }

  private static List<RedisServer> servers(SettableClocks clocks) {
    List<RedisServer> servers = new ArrayList<>();
    for (int node = 0; node < 5; node++) {
      servers.add(clocks.start());
    }
    return servers;
  }

  private static void assertAllBecomesFree(RedisNodes nodes) {
    try (Holdfast holdfast = Crowd.open(nodes, LEASE)) {
      for (String lock : LOCKS) {
        Eventually.until(
            lock + " can be taken",
            () -> {
              try {
                return holdfast.lock(lock).tryAcquire().isPresent();
              } catch (BackendException restsOrJoins) {
                return false;
              }
            });
      }
    }
    for (int node = 0; node < nodes.size(); node++) {
      RedisServer server = nodes.server(node);
      Eventually.until("no vote is left", () -> server.call("KEYS", "lock:*").equals(List.of()));
    }
  }
}
