// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the queue is. The first three are about jobs, the rest about the table that holds them: a
 * transaction that stays open for long keeps dead rows from being removed, and every claim has to
 * step over them.
 *
 * @param queues how many jobs each queue has in each state, and how long its oldest ready job has
 *     waited
 * @param workers how many workers live
 * @param deadTupleRatio dead rows by all rows of the table of jobs, from 0 to 1, as last counted
 * @param deadTuples dead rows of the table of jobs, as last counted
 * @param tableBytes the size of that table with its indexes
 * @param oldestTransaction how long the oldest transaction has been open that this user may see
 * @param xminAge how many transactions ago the oldest snapshot was taken that this user may see
 */
public record JobsHealth(
    List<Queue> queues,
    int workers,
    double deadTupleRatio,
    long deadTuples,
    long tableBytes,
    Duration oldestTransaction,
    long xminAge) {

  public JobsHealth {
    queues = List.copyOf(queues);
  }

  /**
   * One queue.
   *
   * @param name its name
   * @param depth how many jobs it has in each state; a state that is not there has none
   * @param oldestReady how long its oldest ready job has waited; empty if none is ready
   */
  public record Queue(String name, Map<JobState, Long> depth, Optional<Duration> oldestReady) {

    public Queue {
      depth = Map.copyOf(depth);
    }

    /** How many jobs are in this state. */
    public long depth(JobState state) {
      return depth.getOrDefault(state, 0L);
    }
  }

  /** This queue's part; empty if there is no job of it. */
  public Optional<Queue> queue(String name) {
    return queues.stream().filter(queue -> queue.name.equals(name)).findFirst();
  }
}
