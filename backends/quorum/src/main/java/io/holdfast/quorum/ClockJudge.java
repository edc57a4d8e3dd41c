// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.quorum.Answers.Answer;
import io.holdfast.quorum.NodeClock.Shift;
import io.holdfast.spi.Moment;
import io.holdfast.spi.QuorumNode.State;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whose clock is at fault when that of a node seems to have been set. All nodes are asked
 * for their time. A shift that most of them show alike is one of this process: its clocks stood
 * still in a live migration or a snapshot, or are slewed. Then its leases are shortened by the
 * shift, and the nodes are left alone, because other processes rely on them. Otherwise the node was
 * set, and is told to rest.
 *
 * <p>Nodes whose clocks were set alike look the same as a process that stood still. So after a
 * shift that could have ended leases this process asks for no lock until every other one has looked
 * at the nodes, too, and has shortened its leases.
 */
final class ClockJudge {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  /** Half of the shortest lease time: a lease that is renewed in time has more than that left. */
  private static final long HARMLESS_MICROS = 250_000;

  /** Others look once in a second. */
  private static final Duration CAUTION = Duration.ofSeconds(3);

  /** What follows from a judgement. */
  interface Consequences {
    /** The clock of a node was set by at least so many microseconds. */
    void nodeWasSet(Node node, long micros);

    /** The clocks of this process are behind by so much more than they were. */
    void processFellBehind(Duration by);
  }

  private final Roster roster;
  private final Consequences consequences;
  private final AtomicReference<@Nullable CompletableFuture<Boolean>> hearing =
      new AtomicReference<>();
  private final AtomicLong behindMicros = new AtomicLong();
  private volatile @Nullable Moment cautiousUntil;

  ClockJudge(Roster roster, Consequences consequences) {
    this.roster = roster;
    this.consequences = consequences;
  }

  /** The clock of a node seems to have been set. Until it is decided its votes do not count. */
  void suspect(Node node) {
    node.doubt(true);
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    if (!hearing.compareAndSet(null, begun)) {
      return;
    }
    Futures.handle(
        roster.<State>askAll(Node::state),
        (states, problem) -> {
          try {
            if (states != null) {
              judge(states);
            }
          } finally {
            hearing.set(null);
            begun.complete(true);
          }
        });
  }

  /** Completes when nothing is under suspicion. */
  CompletableFuture<Boolean> settled() {
    CompletableFuture<Boolean> begun = hearing.get();
    return begun == null ? CompletableFuture.completedFuture(true) : begun;
  }

  /** By how much the clocks of this process have fallen behind since it started. */
  long behindNanos() {
    return behindMicros.get() * 1000;
  }

  /** For how much longer this process asks for no lock. */
  Duration caution() {
    Moment until = cautiousUntil;
    long left =
        until == null ? 0 : until.monotonicNanos() - roster.context().now().monotonicNanos();
    return Duration.ofNanos(Math.max(0, left));
  }

  /** All nodes were asked: those that agree with us are what the next look is compared with. */
  void looked(Answers<State> states) {
    if (hearing.get() != null) {
      return;
    }
    Map<Node, Shift> shifts = shifts(states);
    if (shifts.values().stream().noneMatch(Shift::isCertain)) {
      shifts.keySet().forEach(Node::settleClock);
    }
  }

  private void judge(Answers<State> states) {
    Map<Node, Shift> shifts = shifts(states);
    long own = shiftOfProcess(shifts);
    if (own != 0) {
      fellBehind(own, shifts.size());
    }
    shifts.forEach(
        (node, shift) -> {
          if (own == 0 && shift.isCertain()) {
            consequences.nodeWasSet(node, shift.least() > 0 ? shift.least() : shift.most());
          } else if (own != 0 && shift.least() > own) {
            // Set by more than we are behind. Processes that did not stand still tell it to rest.
            node.leaveOutFor(roster.settings().longestLease());
          }
          node.settleClock();
          node.doubt(false);
        });
  }

  private static Map<Node, Shift> shifts(Answers<State> states) {
    Map<Node, Shift> shifts = new LinkedHashMap<>();
    for (Answer<State> answer : states.all()) {
      if (answer.value().isPresent()) {
        answer.node().clockShift().ifPresent(shift -> shifts.put(answer.node(), shift));
      }
    }
    return shifts;
  }

  /** The smallest shift that most nodes have in common; 0 if most of them agree with us. */
  private static long shiftOfProcess(Map<Node, Shift> shifts) {
    long agree = support(shifts, 0);
    long best = 0;
    long most = Math.max(2, agree);
    for (Shift shift : shifts.values()) {
      long candidate = shift.least() > 0 ? shift.least() : shift.most();
      long support = shift.isCertain() ? support(shifts, candidate) : 0;
      boolean isSmaller = best == 0 || Math.abs(candidate) < Math.abs(best);
      if (support > most || (support == most && isSmaller)) {
        most = support;
        best = candidate;
      }
    }
    return best;
  }

  private static long support(Map<Node, Shift> shifts, long micros) {
    return shifts.values().stream().filter(shift -> shift.contains(micros)).count();
  }

  private void fellBehind(long micros, int nodes) {
    LOG.warn(
        "quorum: the clocks of this process are {} ms {} those of the {} nodes that answered, more"
            + " than before{}",
        Math.abs(micros) / 1000,
        micros > 0 ? "behind" : "ahead of",
        nodes,
        micros > 0 ? ": its leases end that much earlier, and are renewed now" : "");
    if (micros <= 0) {
      return;
    }
    behindMicros.addAndGet(micros);
    consequences.processFellBehind(Duration.ofNanos(micros * 1000));
    if (micros > HARMLESS_MICROS) {
      cautiousUntil = roster.context().now().plusNanos(CAUTION.toNanos());
    }
  }
}
