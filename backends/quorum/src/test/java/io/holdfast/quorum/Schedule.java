// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.quorum.History.Span;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Faults that befall nodes, never more than a minority at a time; the same for the same seed. */
final class Schedule {
  /** What a clock that was set may do harm to: what was held then, for as long as a lease. */
  private static final Duration AFTERMATH = Duration.ofSeconds(4);

  private enum Fault {
    KILL_AND_RESTART_EMPTY,
    STOP,
    CUT,
    BLACK_HOLE,
    LOSE_REPLIES,
    FLUSH,
    CLOCK
  }

  private final Random random;
  private final RedisNodes nodes;
  private final SettableClocks clocks;
  private final long[] aheadSeconds;
  private final Map<Fault, Integer> counts = new TreeMap<>();
  private final List<Span> clockFaults = new ArrayList<>();

  Schedule(long seed, RedisNodes nodes, SettableClocks clocks) {
    this.random = new Random(seed);
    this.nodes = nodes;
    this.clocks = clocks;
    this.aheadSeconds = new long[nodes.size()];
  }

  /** One or two nodes at a time, and the next when those are well again. */
  void run(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      int first = random.nextInt(nodes.size());
      int second = (first + 1 + random.nextInt(nodes.size() - 1)) % nodes.size();
      boolean both = random.nextBoolean();
      Fault one = fault();
      Fault other = fault();
      begin(first, one);
      if (both) {
        begin(second, other);
      }
      Eventually.pass(Duration.ofMillis(200 + random.nextInt(2000)));
      mend(first, one);
      if (both) {
        mend(second, other);
      }
      nodes.awaitMembers();
      Eventually.pass(Duration.ofMillis(random.nextInt(3000)));
    }
  }

  private Fault fault() {
    return Fault.values()[random.nextInt(Fault.values().length)];
  }

  private void begin(int node, Fault fault) {
    counts.merge(fault, 1, Integer::sum);
    switch (fault) {
      case KILL_AND_RESTART_EMPTY -> nodes.server(node).kill();
      case STOP -> nodes.server(node).pause();
      case CUT -> nodes.network(node).cut();
      case BLACK_HOLE -> nodes.network(node).loseEverything();
      case LOSE_REPLIES -> nodes.network(node).loseReplies();
      case FLUSH -> nodes.server(node).call("FLUSHALL");
      case CLOCK -> setClock(node);
    }
  }

  private void setClock(int node) {
    aheadSeconds[node] += random.nextInt(10) - 3L;
    long now = System.nanoTime();
    clockFaults.add(new Span(now - AFTERMATH.toNanos() / 2, now + AFTERMATH.toNanos()));
    clocks.set(node, Duration.ofSeconds(aheadSeconds[node]));
  }

  private void mend(int node, Fault fault) {
    switch (fault) {
      case KILL_AND_RESTART_EMPTY -> nodes.server(node).restart();
      case STOP -> nodes.server(node).resume();
      case BLACK_HOLE, LOSE_REPLIES -> {
        nodes.network(node).heal();
        nodes.network(node).cut(); // Half a reply may have been lost.
      }
      case CUT, FLUSH, CLOCK -> {}
    }
  }

  /** Nothing is left broken; clocks stay as they are. */
  void heal() {
    for (int node = 0; node < nodes.size(); node++) {
      nodes.server(node).resume();
      nodes.network(node).heal();
    }
  }

  /** When clocks were set: the faults in which the guarantees allow two holders. */
  List<Span> clockFaults() {
    return clockFaults;
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
