// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.DistributedLock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How often, how fast and how long {@link Optimistic} tries; each method gives a changed copy. */
public final class OptimisticPolicy {
  private static final OptimisticPolicy DEFAULTS =
      new OptimisticPolicy(
          10, Duration.ofSeconds(30), Duration.ofMillis(5), Duration.ofSeconds(1), null, 0);

  private final int attempts;
  private final Duration deadline;
  private final Duration firstPause;
  private final Duration longestPause;
  private final @Nullable DistributedLock lock;
  private final int conflictsBeforeLock;

  private OptimisticPolicy(
      int attempts,
      Duration deadline,
      Duration firstPause,
      Duration longestPause,
      @Nullable DistributedLock lock,
      int conflictsBeforeLock) {
    this.attempts = attempts;
    this.deadline = deadline;
    this.firstPause = firstPause;
    this.longestPause = longestPause;
    this.lock = lock;
    this.conflictsBeforeLock = conflictsBeforeLock;
  }

  /** Ten attempts within 30 seconds, with pauses of up to 5 ms that double up to a second. */
  public static OptimisticPolicy defaults() {
    return DEFAULTS;
  }

  /** At most so many attempts. */
  public OptimisticPolicy attempts(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("there is at least one attempt, not " + most);
    }
    return new OptimisticPolicy(
        most, deadline, firstPause, longestPause, lock, conflictsBeforeLock);
  }

  /** No attempt begins later than this after the first. */
  public OptimisticPolicy deadline(Duration time) {
    return new OptimisticPolicy(
        attempts, positive(time), firstPause, longestPause, lock, conflictsBeforeLock);
  }

  /**
   * Pauses are drawn between nothing and a bound, so that those who met do not meet again; the
   * bound doubles from the first to the longest.
   */
  public OptimisticPolicy pauses(Duration first, Duration longest) {
    if (positive(first).compareTo(longest) > 0) {
      throw new IllegalArgumentException("the first pause is not longer than the longest");
    }
    return new OptimisticPolicy(attempts, deadline, first, longest, lock, conflictsBeforeLock);
  }

  /** After so many conflicts, the attempts that follow are made under this lock. */
  public OptimisticPolicy lockAfter(int conflicts, DistributedLock by) {
    if (conflicts < 1) {
      throw new IllegalArgumentException("a lock comes after at least one conflict");
    }
    return new OptimisticPolicy(attempts, deadline, firstPause, longestPause, by, conflicts);
  }

  private static Duration positive(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("a time is positive, not " + time);
    }
    return time;
  }

  int attempts() {
    return attempts;
  }

  Duration deadline() {
    return deadline;
  }

  /** The bound of the pause after so many conflicts. */
  Duration pauseBound(int conflicts) {
    Duration doubled = firstPause.multipliedBy(1L << Math.min(conflicts - 1, 20));
    return doubled.compareTo(longestPause) < 0 ? doubled : longestPause;
  }

  /** The lock under which the next attempt is made, if any. */
  @Nullable DistributedLock lockAfter(int conflicts) {
    return conflictsBeforeLock > 0 && conflicts >= conflictsBeforeLock ? lock : null;
  }
}
