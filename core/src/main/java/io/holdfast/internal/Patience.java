// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import java.time.Duration;

/**
 * How long an attempt waits, and when it takes its next step. Guarded by the attempt.
 *
 * <p>A request that is under way when the time ends gets a little longer: most of the time the
 * answer is on its way, and "nobody knows" is a worse answer than one that is late. A request that
 * does not wait for others has only the store's silence to fear.
 */
final class Patience {
  static final long LATE_ANSWER_NANOS = Duration.ofMillis(100).toNanos();

  private final boolean waits;
  private final long aheadNanos;
  private long deadlineNanos;
  private long promisedNanos;
  private long pollNanos;

  /**
   * @param waits whether it waits for other holders until the deadline, or asks once
   * @param ahead how long before the end of what the store was told to tell it of more
   */
  Patience(boolean waits, long deadlineNanos, Duration ahead) {
    this.waits = waits;
    this.deadlineNanos = deadlineNanos;
    this.promisedNanos = deadlineNanos;
    this.aheadNanos = ahead.toNanos();
  }

  boolean waits() {
    return waits;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  boolean isOver(Moment now) {
    return deadlineNanos - now.monotonicNanos() <= 0;
  }

  /** Waits until a later deadline; false if it is not later. */
  boolean extend(long laterNanos) {
    boolean later = laterNanos - deadlineNanos > 0;
    deadlineNanos = later ? laterNanos : deadlineNanos;
    return later;
  }

  /** What to tell the store in a request that is sent now. */
  Duration promise(Moment sent) {
    promisedNanos = deadlineNanos;
    return waits
        ? Duration.ofNanos(Math.max(1, deadlineNanos - sent.monotonicNanos()))
        : Duration.ZERO;
  }

  void askIn(long nanos, Moment now) {
    pollNanos = now.monotonicNanos() + nanos;
  }

  /** A store may drop a waiter at the end of its patience, so one that grew is told before that. */
  long nextStepNanos() {
    long next = earlier(pollNanos, deadlineNanos);
    return deadlineNanos == promisedNanos ? next : earlier(next, promisedNanos - aheadNanos);
  }

  long answerDueNanos() {
    return deadlineNanos + (waits ? LATE_ANSWER_NANOS : LockRuntime.ANSWER_NANOS);
  }

  private static long earlier(long oneNanos, long otherNanos) {
    return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
  }
}
