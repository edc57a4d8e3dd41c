// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued. Immutable: each method gives another one.
 *
 * @param queue where it goes
 * @param payload what the handler gets: any JSON
 * @param priority greater ones go first; 0 unless told otherwise
 * @param delay how long it waits, counted by the database from when it is enqueued
 * @param due when it may run at the earliest, by the database's clock
 * @param uniqueKey at most one job of the queue that is not finished has this key
 * @param maxAttempts how often it is tried before it becomes a dead letter; 10 unless told
 * @param group of the queue's jobs of one group only one runs at a time, by whichever worker
 */
public record NewJob(
    String queue,
    String payload,
    int priority,
    Duration delay,
    @Nullable Instant due,
    @Nullable String uniqueKey,
    int maxAttempts,
    @Nullable String group) {
  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  public NewJob {
    Names.queue(queue);
    Objects.requireNonNull(payload, "a job has a payload, at least null as JSON");
    if (priority < -30_000 || priority > 30_000) {
      throw new IllegalArgumentException("a priority is from -30000 to 30000, not " + priority);
    }
    if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException("a delay is from zero to 100 years, not " + delay);
    }
    if (uniqueKey != null) {
      Names.key(uniqueKey);
    }
    if (group != null) {
      Names.key(group);
    }
    if (maxAttempts < 1 || maxAttempts > 30_000) {
      throw new IllegalArgumentException("a job has 1 to 30000 attempts, not " + maxAttempts);
    }
  }

  /** A job that may run at once. */
  public static NewJob of(String queue, String payload) {
    return new NewJob(queue, payload, 0, Duration.ZERO, null, null, 10, null);
  }

  /** The same, with another priority: greater ones go first. */
  public NewJob priority(int value) {
    return new NewJob(queue, payload, value, delay, due, uniqueKey, maxAttempts, group);
  }

  /** The same, so much later than it is enqueued. */
  public NewJob after(Duration value) {
    return new NewJob(queue, payload, priority, value, due, uniqueKey, maxAttempts, group);
  }

  /** The same, not before this time. */
  public NewJob at(Instant value) {
    return new NewJob(queue, payload, priority, delay, value, uniqueKey, maxAttempts, group);
  }

  /** The same, unless the queue has a job with this key that is not finished. */
  public NewJob uniqueKey(String value) {
    return new NewJob(queue, payload, priority, delay, due, value, maxAttempts, group);
  }

  /** The same, with so many attempts before it becomes a dead letter. */
  public NewJob maxAttempts(int value) {
    return new NewJob(queue, payload, priority, delay, due, uniqueKey, value, group);
  }

  /**
   * The same, in a group: of the queue's jobs of one group only one runs at a time, or as many as
   * {@link JobQueue#limitPerGroup} says, and they begin in their order. One that failed lets others
   * go first while it rests. Use it for what the jobs change, an account for example.
   */
  public NewJob group(String value) {
    return new NewJob(queue, payload, priority, delay, due, uniqueKey, maxAttempts, value);
  }

  /** Without the payload, which may be nobody's business. */
  @Override
  public String toString() {
    return "job for '" + queue + "'" + (uniqueKey == null ? "" : " with key '" + uniqueKey + "'");
  }
}
