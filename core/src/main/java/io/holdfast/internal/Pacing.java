// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When to ask again. With jitter always, so that many clients do not ask in step; never at once, so
 * that no state of a store makes a storm.
 */
record Pacing(Duration shortest, Duration longest, RandomGenerator random) {
  /** Stores drop a waiter that has not asked for three of these. */
  static final Duration LONGEST_POLL = Duration.ofSeconds(3);

  Pacing {
    Times.positive(shortest, "the shortest poll interval");
    if (longest.compareTo(shortest) < 0 || longest.compareTo(LONGEST_POLL) > 0) {
      throw new IllegalArgumentException(
          "the longest poll interval is between the shortest, "
              + shortest
              + ", and 3 s, because stores drop waiters that do not ask; not "
              + longest);
    }
  }

  /** The next interval of a series that doubles: somewhere in its upper half. */
  long backOffNanos(int tries) {
    long interval = Math.min(longest.toNanos(), shortest.toNanos() << Math.min(tries, 20));
    return interval - (long) (random.nextDouble() * interval / 2);
  }

  /** The interval that the store proposed, within bounds, and a little later. */
  long proposedNanos(Duration recheck) {
    long bounded = Math.max(shortest.toNanos(), Math.min(longest.toNanos(), Times.nanos(recheck)));
    return bounded + (long) (random.nextDouble() * bounded / 10);
  }
}
