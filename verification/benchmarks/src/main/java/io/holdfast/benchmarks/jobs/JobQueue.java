// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

/** A queue in PostgreSQL that takes part: jobs that do nothing but count themselves. */
interface JobQueue extends AutoCloseable {

  String name();

  /** Its table of jobs. */
  String table();

  /** Enqueues jobs as it does that best for many, or one by one. */
  void enqueue(int count, boolean batched) throws Exception;

  /** Enqueues many by SQL, where its own way would take minutes. */
  void fill(int count) throws Exception;

  /**
   * Starts to work; what it gives stops it.
   *
   * @param done called for every job
   */
  AutoCloseable start(Runnable done, boolean batched) throws Exception;

  @Override
  void close();
}
