// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;

/** How a worker works. */
record WorkerSettings(
    String queue,
    String name,
    int concurrency,
    int prefetch,
    Duration leaseTime,
    Duration pollInterval,
    Duration drainTime,
    Duration timeout,
    RetryPolicy retries) {
  /** As good as none. */
  static final Duration NO_TIMEOUT = Duration.ofDays(36_500);

  WorkerSettings {
    Names.queue(queue);
    atLeast(concurrency, 1, "a worker's concurrency");
    atLeast(prefetch, 0, "a worker's prefetch");
    between(leaseTime, Duration.ofMillis(300), Duration.ofHours(1), "a worker's lease time");
    between(pollInterval, Duration.ofMillis(1), Duration.ofMinutes(5), "a poll interval");
    between(drainTime, Duration.ZERO, Duration.ofDays(1), "a worker's drain time");
    between(timeout, Duration.ofMillis(10), NO_TIMEOUT, "a job's time-out");
  }

  boolean hasTimeout() {
    return timeout.compareTo(NO_TIMEOUT) < 0;
  }

  private static void atLeast(int value, int least, String what) {
    if (value < least || value > 100_000) {
      throw new IllegalArgumentException(
          "%s is from %d to 100000, not %d".formatted(what, least, value));
    }
  }

  private static void between(Duration value, Duration least, Duration most, String what) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s is from %s to %s, not %s".formatted(what, least, most, value));
    }
  }
}
