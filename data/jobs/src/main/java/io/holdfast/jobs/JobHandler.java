// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

/** What is done with a job. Called by many threads at once, and for one job possibly again. */
@FunctionalInterface
public interface JobHandler {

  /**
   * Does the job. When it returns, the job is done; when it throws, the job is tried again later.
   * Its thread is interrupted when the claim is lost: it should then end, because another worker
   * may begin.
   */
  void run(JobContext job) throws Exception;
}
