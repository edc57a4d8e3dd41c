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

  /** After a handler that did not end in time, whatever it threw then. */
  static Ending timedOut(
      Run run, Duration ran, @Nullable Throwable cause, WorkerSettings settings) {
    Throwable error = new JobTimeoutException(run.id(), settings.timeout(), cause);
    return thrown(run, ran, error, settings.retries());
  }

  /** After what a handler threw, which may say what is to become of its job. */
  static Ending thrown(Run run, Duration ran, Throwable error, RetryPolicy policy) {
    if (error instanceof SnoozeException snooze) {
      return new Ending(run, JobListener.Result.SNOOZED, ran, error, snooze.time());
    }
    if (error instanceof PermanentFailureException || run.attempt() >= run.maxAttempts()) {
      return new Ending(run, JobListener.Result.BURIED, ran, error, Duration.ZERO);
    }
    Duration rest =
        error instanceof RetryNowException ? Duration.ZERO : policy.restAfter(run.attempt());
    return new Ending(run, JobListener.Result.FAILED, ran, error, rest);
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
