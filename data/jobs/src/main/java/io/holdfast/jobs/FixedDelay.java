// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;

/**
 * Runs at once, and again so long after each run has ended: done, dead or cancelled. A run that
 * fails and is tried again has not ended. The end is noticed within 10 seconds or a poll interval,
 * so that a delay may be longer by that, and is never shorter.
 *
 * @param delay from the end of a run to the beginning of the next
 */
public record FixedDelay(Duration delay) implements Recurrence {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  public FixedDelay {
    if (delay.isNegative() || delay.isZero() || delay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "a fixed delay is longer than zero and at most 100 years: " + delay);
    }
  }

  @Override
  public String text() {
    return "delay " + delay;
  }
}
