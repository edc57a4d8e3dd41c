// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** I: jobs that do nothing, claimed and completed; {@link JobsBenchmark} measures more of them. */
public final class ClaimAndComplete implements Workload {
  private static final Duration LONGEST = Duration.ofMinutes(1);

  @Override
  public String id() {
    return "I-jobs";
  }

  @Override
  public String title() {
    return "jobs that do nothing, in PostgreSQL: claim and complete, each as it does that best";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    int many = plan.size(30_000, 10_000);
    try (JobQueues queues = JobQueues.start()) {
      Map<String, JobQueue> byName = new LinkedHashMap<>();
      queues.all().forEach(queue -> byName.put(queue.name(), queue));
      Map<String, Metrics> results =
          Interleaved.run(id(), plan, byName, queue -> turn(queues, queue, many));
      return new Outcome(results, verdicts(results));
    }
  }

  private static Metrics turn(JobQueues queues, JobQueue queue, int many) throws Exception {
    int count = JobQueues.jobs(queue, many);
    queues.clear(queue);
    queue.enqueue(count, true);
    return new Metrics().with(Metrics.RATE, JobQueues.work(queue, count, LONGEST, true));
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    double ours = rate(results, "Holdfast");
    return List.of(
        Verdict.atLeast("rate ÷ db-scheduler", ours / rate(results, "db-scheduler"), 4),
        Verdict.atLeast("rate ÷ SQL by hand", ours / rate(results, "SQL by hand"), 0.5));
  }

  private static double rate(Map<String, Metrics> results, String queue) {
    return results.getOrDefault(queue, new Metrics()).get(Metrics.RATE);
  }
}
