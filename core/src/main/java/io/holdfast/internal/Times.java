// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import java.time.Duration;

/** Arithmetic with times that may be absurdly long. */
final class Times {
  /** Long enough to mean for ever, short enough to be added to any moment. */
  static final Duration FOREVER = Duration.ofDays(36_500);

  private Times() {}

  /** The nanoseconds of a duration; a century if it is longer. */
  static long nanos(Duration duration) {
    return (duration.compareTo(FOREVER) > 0 ? FOREVER : duration).toNanos();
  }

  /** By each clock for itself: the wall clock may have been set back between the two. */
  static Moment earlier(Moment one, Moment other) {
    return new Moment(
        Math.min(one.monotonicNanos(), other.monotonicNanos()),
        Math.min(one.wallNanos(), other.wallNanos()));
  }

  static Duration positive(Duration value, String what) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(what + " is longer than zero, not " + value);
    }
    return value;
  }

  static Duration notNegative(Duration value, String what) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(what + " is zero or longer, not " + value);
    }
    return value;
  }
}
