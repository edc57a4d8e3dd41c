// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list: those that all conditions allow, in the order of their ids. Immutable: each
 * method gives another one.
 *
 * @param queue of this queue
 * @param state in this state
 * @param uniqueKey with this unique key
 * @param group of this group
 * @param payload whose payload contains this JSON, as PostgreSQL's {@code @>} understands it:
 *     {@code {"kind": "invoice"}} for example
 * @param after with a greater id
 * @param limit at most so many; 100 unless told otherwise
 */
public record JobFilter(
    @Nullable String queue,
    @Nullable JobState state,
    @Nullable String uniqueKey,
    @Nullable String group,
    @Nullable String payload,
    long after,
    int limit) {
  private static final int MOST = 10_000;

  public JobFilter {
    if (limit < 1 || limit > MOST) {
      throw new IllegalArgumentException("1 to 10000 jobs are listed at once, not " + limit);
    }
  }

  /** All jobs, the first 100. */
  public static JobFilter all() {
    return new JobFilter(null, null, null, null, null, 0, 100);
  }

  /** The same, of this queue only. */
  public JobFilter queue(String value) {
    return new JobFilter(value, state, uniqueKey, group, payload, after, limit);
  }

  /** The same, in this state only. */
  public JobFilter state(JobState value) {
    return new JobFilter(queue, value, uniqueKey, group, payload, after, limit);
  }

  /** The same, with this unique key only. */
  public JobFilter uniqueKey(String value) {
    return new JobFilter(queue, state, value, group, payload, after, limit);
  }

  /** The same, of this group only. */
  public JobFilter group(String value) {
    return new JobFilter(queue, state, uniqueKey, value, payload, after, limit);
  }

  /** The same, only those whose payload contains this JSON. It reads all that is left to read. */
  public JobFilter payloadContains(String json) {
    return new JobFilter(queue, state, uniqueKey, group, json, after, limit);
  }

  /** The same, behind this job: the next page begins behind the last job of the page before. */
  public JobFilter after(long id) {
    return new JobFilter(queue, state, uniqueKey, group, payload, id, limit);
  }

  /** The same, at most so many at once. */
  public JobFilter limit(int value) {
    return new JobFilter(queue, state, uniqueKey, group, payload, after, value);
  }
}
