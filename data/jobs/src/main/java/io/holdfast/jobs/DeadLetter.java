// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that failed in its last attempt.
 *
 * @param id the job
 * @param queue its queue
 * @param payload what it was enqueued with
 * @param attempts how often it was tried
 * @param error what the last attempt ended with
 * @param died when that was, by the database's clock
 */
public record DeadLetter(
    long id, String queue, String payload, int attempts, @Nullable String error, Instant died) {

  /** Without the payload, which may be nobody's business. */
  @Override
  public String toString() {
    return "dead letter %d of '%s' after %d attempts".formatted(id, queue, attempts);
  }
}
