// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;
import java.time.Duration;

/**
 * Thrown by a {@link JobHandler} whose job cannot be done yet: the job runs again after this time,
 * and the run does not count as an attempt. A job that is snoozed every time is never given up.
 */
public final class SnoozeException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Duration time;

  /**
   * Snoozes the job.
   *
   * @param time how long, from when the database is told
   */
  public SnoozeException(Duration time) {
    super("snoozed for " + time);
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("a job is snoozed from zero to 100 years, not " + time);
    }
    this.time = time;
  }

  /** How long the job is snoozed. */
  public Duration time() {
    return time;
  }
}
