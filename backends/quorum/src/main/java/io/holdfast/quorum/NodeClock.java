// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Moment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a node's clock has moved against ours since both were last found to agree. A reply was
 * made after its request was sent and before it was received, so two replies give an interval. A
 * machine that slept has a monotonic clock that is behind, and a wall clock may be set: the node
 * and this process agree if one of our two clocks agrees with the node's.
 */
final class NodeClock {
  /** What the rates of two clocks may differ by: a thousandth, and no less than this. */
  private static final long TOLERANCE_MICROS = 10_000;

  private record Reading(long micros, Moment sent, Moment received) {}

  /**
   * By how many microseconds the node's clock went on more than ours.
   *
   * @param least at least so many
   * @param most at most so many
   */
  record Shift(long least, long most) {
    boolean contains(long micros) {
      return least <= micros && micros <= most;
    }

    /** One of the two clocks was set, or stood still, or ran at another rate. */
    boolean isCertain() {
      return !contains(0);
    }

    private long closest() {
      return contains(0) ? 0 : least > 0 ? least : most;
    }
  }

  private @Nullable Reading agreed;
  private @Nullable Reading latest;

  /** Takes note of a reply's time, and returns the shift since the clocks agreed. */
  synchronized Shift observe(long micros, Moment sent, Moment received) {
    Reading reading = new Reading(micros, sent, received);
    latest = reading;
    if (agreed == null) {
      agreed = reading;
    }
    return shift(agreed, reading);
  }

  /** The shift up to the latest reply; empty if there was none. */
  synchronized Optional<Shift> shift() {
    Reading from = agreed;
    Reading to = latest;
    return from == null || to == null ? Optional.empty() : Optional.of(shift(from, to));
  }

  /** From here on the clocks count as agreed. */
  synchronized void settle() {
    agreed = latest;
  }

  private static Shift shift(Reading from, Reading to) {
    long passed = to.micros() - from.micros();
    Shift monotonic =
        shift(
            passed,
            to.sent().monotonicNanos() - from.received().monotonicNanos(),
            to.received().monotonicNanos() - from.sent().monotonicNanos());
    Shift wall =
        shift(
            passed,
            to.sent().wallNanos() - from.received().wallNanos(),
            to.received().wallNanos() - from.sent().wallNanos());
    if (Long.signum(monotonic.closest()) * Long.signum(wall.closest()) < 0) {
      return new Shift(
          Math.min(monotonic.least(), wall.least()), Math.max(monotonic.most(), wall.most()));
    }
    return Math.abs(monotonic.closest()) <= Math.abs(wall.closest()) ? monotonic : wall;
  }

  private static Shift shift(long passedMicros, long leastNanos, long mostNanos) {
    long tolerance = TOLERANCE_MICROS + Math.abs(mostNanos) / 1_000_000;
    return new Shift(
        passedMicros - mostNanos / 1000 - tolerance, passedMicros - leastNanos / 1000 + tolerance);
  }
}
