// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Moment;
import io.holdfast.spi.QuorumNode;
import io.holdfast.spi.QuorumNode.Ballot;
import io.holdfast.spi.QuorumNode.State;
import io.holdfast.spi.QuorumNode.Vote;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One of the nodes, and what this process knows of it. */
final class Node {

  /** Hears that a node's clock seems to have been set. */
  interface ClockWatch {
    void suspect(Node node);
  }

  private final String name;
  private final QuorumNode store;
  private final NodeClock clock = new NodeClock();
  private final Supplier<Moment> now;
  private final ClockWatch watch;
  private volatile boolean silent;
  private volatile long epoch;
  private volatile String identity = "";
  private volatile String member;
  private volatile boolean unfit;
  private volatile boolean doubtful;
  private volatile @Nullable Moment outUntil;
  private volatile Standing standing = Standing.UNSEEN;

  Node(String name, QuorumNode store, Supplier<Moment> now, ClockWatch watch) {
    this.name = name;
    this.member = name;
    this.store = store;
    this.now = now;
    this.watch = watch;
  }

  QuorumNode store() {
    return store;
  }

  CompletionStage<Vote> vote(Ballot ballot) {
    Moment sent = now.get();
    return store
        .vote(ballot)
        .thenApply(
            vote -> {
              observe(vote.clockMicros(), sent);
              return vote;
            });
  }

  CompletionStage<State> state() {
    Moment sent = now.get();
    return store
        .state()
        .thenApply(
            state -> {
              observe(state.clockMicros(), sent);
              identity = state.identity();
              member = state.name().isEmpty() ? name : state.name();
              if (state.isMember()) {
                epoch = state.epoch();
              }
              return state;
            });
  }

  private void observe(long clockMicros, Moment sent) {
    if (clock.observe(clockMicros, sent, now.get()).isCertain()) {
      watch.suspect(this);
    }
  }

  /** By how much its clock has moved against ours; empty if it never answered. */
  Optional<NodeClock.Shift> clockShift() {
    return clock.shift();
  }

  /** From here on its clock counts as agreed with ours. */
  void settleClock() {
    clock.settle();
  }

  /** Its votes do not count while its clock is in doubt. */
  void doubt(boolean isDoubtful) {
    doubtful = isDoubtful;
  }

  /** It answered. */
  void heard() {
    silent = false;
  }

  /** It did not answer in time. */
  void wasSilent() {
    silent = true;
  }

  /** Whether it did not answer in time when it was last asked. */
  boolean isSilent() {
    return silent;
  }

  /** The epoch that we have heard of. */
  long epoch() {
    return epoch;
  }

  void epoch(long heard) {
    epoch = heard;
  }

  /** What tells its server from others; empty if it is not known. */
  String identity() {
    return identity;
  }

  /** By which name it is a member: its own word, or how the address calls it. */
  String member() {
    return member;
  }

  /** From now on its votes do not count at all. */
  void markUnfit() {
    unfit = true;
  }

  /** Its votes do not count for so long. */
  void leaveOutFor(Duration time) {
    outUntil = now.get().plusNanos(time.toNanos());
  }

  /** Whether its votes count. */
  boolean counts() {
    return !unfit && !doubtful && !isLeftOut();
  }

  /** Whether its votes do not count for a time. */
  boolean isLeftOut() {
    Moment until = outUntil;
    return until != null && now.get().monotonicNanos() - until.monotonicNanos() <= 0;
  }

  boolean isUnfit() {
    return unfit;
  }

  Standing standing() {
    return standing;
  }

  /** Returns what it was before. */
  synchronized Standing standing(Standing next) {
    Standing before = standing;
    standing = next;
    return before;
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return name;
  }
}
