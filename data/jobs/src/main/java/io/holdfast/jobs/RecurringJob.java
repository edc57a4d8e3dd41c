// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;

/**
 * A job that is enqueued again and again. However many workers there are, it is enqueued once for
 * each of its times. Immutable: each method gives another one.
 *
 * <p>A run that takes longer than to the next time overlaps with the next run. A {@linkplain
 * NewJob#uniqueKey unique key} leaves that one out, and a {@linkplain NewJob#group group} lets it
 * wait.
 *
 * @param name what it is called, in all processes
 * @param recurrence when it runs
 * @param job what is enqueued
 * @param missed what becomes of times at which no worker was there; one run makes up for them
 *     unless told otherwise. A fixed delay misses none: it is due until it runs.
 */
public record RecurringJob(String name, Recurrence recurrence, NewJob job, MissedRuns missed) {

  public RecurringJob {
    Names.key(name);
    if (!job.delay().equals(Duration.ZERO) || job.due() != null) {
      throw new IllegalArgumentException(
          "a recurring job runs when its recurrence says: %s has a time of its own".formatted(job));
    }
  }

  /** A recurring job, of whose missed runs one is made up for. */
  public static RecurringJob of(String name, Recurrence recurrence, NewJob job) {
    return new RecurringJob(name, recurrence, job, MissedRuns.runOnce());
  }

  /** The same, with another rule for times at which no worker was there. */
  public RecurringJob missed(MissedRuns value) {
    return new RecurringJob(name, recurrence, job, value);
  }
}
