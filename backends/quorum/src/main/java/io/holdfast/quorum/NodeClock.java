// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * How far a node's clock is from ours. A reply was made after its request was sent and before it
 * was received, so each gives an interval; two intervals that do not meet mean that a clock was
 * set. It was the node's if neither of our two clocks agrees with it: a machine that slept has a
 * monotonic clock that is behind, and a wall clock may be set.
 */
final class NodeClock {
  /** What the rates of two clocks may differ by: a thousandth, and no less than this. */
  private static final long TOLERANCE_MICROS = 10_000;

  private record Reading(long micros, Moment sent, Moment received) {}

  private @Nullable Reading last;

  /**
   * Takes note of a reply's time.
   *
   * @return by how many microseconds the clock was set since the last reply, as far as is certain
   */
  synchronized long observe(long micros, Moment sent, Moment received) {
    Reading before = last;
    last = new Reading(micros, sent, received);
    if (before == null) {
      return 0;
    }
    long passed = micros - before.micros();
    long monotonic =
        excess(
            passed,
            sent.monotonicNanos() - before.received().monotonicNanos(),
            received.monotonicNanos() - before.sent().monotonicNanos());
    long wall =
        excess(
            passed,
            sent.wallNanos() - before.received().wallNanos(),
            received.wallNanos() - before.sent().wallNanos());
    if (monotonic == 0 || wall == 0 || (monotonic > 0) != (wall > 0)) {
      return 0;
    }
    return Math.abs(monotonic) < Math.abs(wall) ? monotonic : wall;
  }

  /** By how much the node's clock went on more, or less, than ours can have. */
  private static long excess(long passedMicros, long leastNanos, long mostNanos) {
    long tolerance = TOLERANCE_MICROS + Math.abs(mostNanos) / 1_000_000;
    long least = leastNanos / 1000 - tolerance;
    long most = mostNanos / 1000 + tolerance;
    if (passedMicros > most) {
      return passedMicros - most;
    }
    return passedMicros < least ? passedMicros - least : 0;
  }
}
