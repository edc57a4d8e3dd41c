// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, which the database is to be told.
 *
 * @param run the run
 * @param result what became of it
 * @param ran how long its handler ran
 * @param error what the handler threw
 * @param rest how long the job rests before it is tried again
 */
record Ending(
    Run run, JobListener.Result result, Duration ran, @Nullable Throwable error, Duration rest) {
  private static final int LONGEST_ERROR = 2000;

  static Ending released(Run run) {
    return new Ending(run, JobListener.Result.RELEASED, Duration.ZERO, null, Duration.ZERO);
  }

  static Ending completed(Run run, Duration ran) {
    return new Ending(run, JobListener.Result.COMPLETED, ran, null, Duration.ZERO);
  }

  static Ending failed(Run run, Duration ran, Throwable error, RetryPolicy policy) {
    return run.attempt() >= run.maxAttempts()
        ? new Ending(run, JobListener.Result.BURIED, ran, error, Duration.ZERO)
        : new Ending(run, JobListener.Result.FAILED, ran, error, policy.restAfter(run.attempt()));
  }

  /** For the row: bounded, and without the one character that text cannot hold. */
  String errorText() {
    String text = said(error).replace('\0', ' ');
    return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR);
  }

  private static String said(@Nullable Throwable error) {
    try {
      return String.valueOf(error);
    } catch (RuntimeException | Error unspeakable) {
      return "an error that cannot say what it is";
    }
  }
}
