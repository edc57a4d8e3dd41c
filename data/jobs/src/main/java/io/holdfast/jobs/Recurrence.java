// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import java.time.ZoneId;

/** When a {@link RecurringJob} runs. */
public sealed interface Recurrence permits Cron, FixedDelay {

  /**
   * At the times of a cron expression of five fields, in this zone.
   *
   * @throws IllegalArgumentException if the expression makes no sense, or allows no time at all
   */
  static Cron cron(String expression, ZoneId zone) {
    return Cron.parse(expression, zone);
  }

  /** At once, and so long after each run has ended. */
  static FixedDelay delay(Duration delay) {
    return new FixedDelay(delay);
  }

  /** Parses what {@link #text} wrote. */
  static Recurrence parse(String text) {
    String[] words = text.split(" ", 3);
    if (words[0].equals("cron") && words.length == 3) {
      return Cron.parse(words[2], ZoneId.of(words[1]));
    }
    if (words[0].equals("delay") && words.length == 2) {
      return new FixedDelay(Duration.parse(words[1]));
    }
    throw new IllegalArgumentException("not a recurrence that this version knows: " + text);
  }

  /** As one line, which {@link #parse} reads. */
  String text();
}
