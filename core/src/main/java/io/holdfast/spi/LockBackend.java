// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import io.holdfast.Guarantees;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps locks. It never blocks, is idempotent per holder, and its stages fail with
 * {@link io.holdfast.BackendException} only, in bounded time. Waiting, renewing, retrying, local
 * queues and cleaning up live in core. {@code LockBackendContract} in the testkit tests all of it.
 */
public interface LockBackend extends AutoCloseable {

  /** Called once, before any request. Fails if the store can be seen to be unfit. */
  void start(BackendContext context);

  /** Grants the hold, or gives it a place in the queue; a repeat extends it or keeps its place. */
  CompletionStage<Acquisition> acquire(AcquireRequest request);

  /** Extends holds of one lane; answers in the same order. Never re-creates one that is gone. */
  CompletionStage<List<Renewal>> renew(List<Hold> holds);

  /** From now on it neither holds nor waits: also how a waiter leaves. True if it held. */
  CompletionStage<Boolean> release(Hold hold);

  /** Who holds the lock and who waits. */
  CompletionStage<LockState> inspect(String name);

  /** The locks that are held or waited for, whose names begin so, in the order of their names. */
  CompletionStage<List<LockState>> list(String prefix, int limit);

  /** Ends the hold that has this token, and no other. False if there is none. */
  CompletionStage<Boolean> forceRelease(String name, long token, String reason);

  /** What the store promises. */
  Guarantees guarantees();

  /** What shares one fate in renewal with this lock: a server, a shard, a session. */
  default Object lane(String name) {
    return this;
  }

  /** This store as one of the nodes of a quorum, instead of being started as a backend. */
  default Optional<QuorumNode> asQuorumNode() {
    return Optional.empty();
  }

  /**
   * What an operator should know of the store beyond whether it answers: persistence, eviction,
   * replicas, permissions. Called after {@link #start}.
   */
  default CompletionStage<List<Finding>> checkUp() {
    return CompletableFuture.completedFuture(List.of());
  }

  /**
   * How many commands the store has executed since it was started, for everybody and by its own
   * count: two answers show what a load costs. Empty if it does not count. Called after {@link
   * #start}.
   */
  default CompletionStage<OptionalLong> executedCommands() {
    return CompletableFuture.completedFuture(OptionalLong.empty());
  }

  /**
   * What an administrator runs before the store is used: SQL, or the rules of a user of its own.
   * Empty if nothing needs to be done. Needs no {@link #start}, and contains no secret.
   */
  default String schema() {
    return "";
  }

  /**
   * Gives back connections and threads. Core has released its holds before. Also called after a
   * start that failed, or without one.
   */
  @Override
  void close();

  /** What acquire asks for, renew extends and release ends. */
  record Hold(String name, Holder holder, Mode mode, Duration leaseTime) {}

  /**
   * A request to acquire.
   *
   * @param hold what is asked for
   * @param patience how much longer the caller waits; zero: do not queue
   * @param passes how many further tokens are wanted, for local passes; constant for one hold
   * @param sent when the request was made
   * @param purpose what for, shown to whoever inspects the lock
   */
  record AcquireRequest(
      Hold hold, Duration patience, int passes, Moment sent, @Nullable String purpose) {}

  /** The answer to acquire. */
  sealed interface Acquisition {

    /**
     * The hold is the caller's.
     *
     * @param token the first token; those up to {@code token + passes} belong to this hold too
     * @param passes how many passes were granted
     * @param since a lower bound, in our own time, of the moment from which the lease time runs
     */
    record Granted(long token, int passes, Moment since) implements Acquisition {}

    /**
     * Others hold the lock; the caller has its place in the queue if it waits.
     *
     * @param recheck after which time to ask again if no signal comes; zero: the store has no idea,
     *     pace it
     */
    record Held(Duration recheck) implements Acquisition {}

    /**
     * The name is in use as another kind of lock.
     *
     * @param rule what it is in use as
     */
    record Refused(String rule) implements Acquisition {}
  }

  /** The answer to renew, for one hold. */
  enum Renewal {
    RENEWED,
    TAKEN,
    GONE,
    FORCED,
    UNKNOWN
  }
}
