// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operations cost, in the servers' own count of commands. */
@Tag("quorum")
class CountsTest {
  private static final int ROUNDS = 100;

  /** The longest there is: a machine has to stand still in half of the rounds to take as long. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @Test
  void an_uncontended_acquire_and_release_is_one_command_each_to_each_node() {
    Witness witness = new Witness();
    try (RedisNodes nodes = founded();
        Holdfast holdfast = open(nodes, witness)) {
      nodes.awaitMembers();
      holdfast.lock("warm").tryAcquire().orElseThrow().release();
      awaitQuiet(nodes);
      List<Long> before = nodes.steps();
      int rounds = witness.secondRounds();
      for (int round = 0; round < ROUNDS; round++) {
        holdfast.lock("one").tryAcquire().orElseThrow().release();
        holdfast.lock("another/" + round).tryAcquire().orElseThrow().release();
      }
      awaitQuiet(nodes);
      for (int node = 0; node < nodes.size(); node++) {
        assertThat(nodes.steps().get(node) - before.get(node)).isEqualTo(4L * ROUNDS);
      }
      assertThat(witness.secondRounds()).isEqualTo(rounds);
    }
  }

  @Test
  void grants_go_on_with_two_nodes_that_stand_still_and_their_latency_is_printed() {
    try (RedisNodes nodes = founded();
        Holdfast holdfast = open(nodes, new Witness())) {
      nodes.awaitMembers();
      medianNanos(holdfast);
      long allUp = medianNanos(holdfast);
      nodes.server(3).pause();
      nodes.server(4).pause();
      medianNanos(holdfast);
      long twoDown = medianNanos(holdfast);
      System.out.printf(
          Locale.ROOT,
          "quorum: acquire and release, median: all up %d us, two of five stopped %d us, ratio %.2f%n",
          allUp / 1000,
          twoDown / 1000,
          (double) twoDown / allUp);
    }
  }

  private static long medianNanos(Holdfast holdfast) {
    return LongStream.range(0, ROUNDS)
        .map(
            round -> {
              long begin = System.nanoTime();
              holdfast.lock("timed").tryAcquire().orElseThrow().release();
              return System.nanoTime() - begin;
            })
        .sorted()
        .skip(ROUNDS / 2)
        .findFirst()
        .orElseThrow();
  }

  private static RedisNodes founded() {
    RedisNodes nodes = new RedisNodes(5);
    nodes.found("longest=60s");
    return nodes;
  }

  private static Holdfast open(RedisNodes nodes, Witness witness) {
    return Holdfast.builder(
            QuorumBackend.builder(nodes.stores()).timeout(TIMEOUT).listener(witness).build())
        .leaseTime(Duration.ofSeconds(60))
        .build();
  }

  /** A majority is enough for an answer: the last nodes may be a moment behind. */
  private static void awaitQuiet(RedisNodes nodes) {
    Eventually.until(
        "the nodes are quiet",
        () -> {
          List<Long> before = nodes.steps();
          Eventually.pass(Duration.ofMillis(200));
          return nodes.steps().equals(before);
        });
  }
}
