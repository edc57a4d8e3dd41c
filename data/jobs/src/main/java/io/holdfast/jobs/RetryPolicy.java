// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a job rests after a failed attempt: twice as long after each, up to a longest time, and
 * at random between half of that and the whole, so that jobs that failed together do not come back
 * together.
 *
 * @param first after the first attempt, at most
 * @param longest after any attempt, at most
 */
public record RetryPolicy(Duration first, Duration longest) {

  public RetryPolicy {
    if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "the first rest is longer than zero and no longer than the longest: %s, %s"
              .formatted(first, longest));
    }
  }

  /** From one second to an hour. */
  public static RetryPolicy defaults() {
    return new RetryPolicy(Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /** How long to rest after this attempt, the first being 1. */
  public Duration restAfter(int attempt) {
    Duration whole = first;
    for (int i = 1; i < attempt && whole.compareTo(longest) < 0; i++) {
      whole = whole.multipliedBy(2);
    }
    long nanos = (whole.compareTo(longest) > 0 ? longest : whole).toNanos();
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1));
  }
}
