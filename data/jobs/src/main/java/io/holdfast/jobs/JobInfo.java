// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was when it was looked at; times are the database's.
 *
 * @param id its number
 * @param queue its queue
 * @param state where it is in its life
 * @param priority greater ones go first
 * @param attempts how often it was tried, or claimed to be
 * @param maxAttempts how often it is tried before it becomes a dead letter
 * @param enqueued when it was enqueued
 * @param runAt not before this time it may run; null if it is finished
 * @param finished when it was done, given up or cancelled; null if it is not
 * @param uniqueKey its unique key
 * @param group its group
 * @param due of a recurring job the time for which it was enqueued
 * @param error what its last failed attempt ended with
 * @param payload what it was enqueued with
 */
public record JobInfo(
    long id,
    String queue,
    JobState state,
    int priority,
    int attempts,
    int maxAttempts,
    Instant enqueued,
    @Nullable Instant runAt,
    @Nullable Instant finished,
    @Nullable String uniqueKey,
    @Nullable String group,
    @Nullable Instant due,
    @Nullable String error,
    String payload) {

  /** Without the payload and the error, which may be nobody's business. */
  @Override
  public String toString() {
    return "job %d of '%s', %s after %d attempts".formatted(id, queue, state, attempts);
  }
}
