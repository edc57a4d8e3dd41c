// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Jobs that do nothing, in one process and on one server, beside db-scheduler, JobRunr and SQL
 * written by hand. Repetitions are interleaved, and figures are medians, in jobs a second. {@code
 * --quick} for the order of magnitude.
 */
public final class JobsBenchmark {
  private final boolean quick;
  private final JobQueues queues;
  private final Figures figures = new Figures();

  private JobsBenchmark(boolean quick, JobQueues queues) {
    this.quick = quick;
    this.queues = queues;
  }

  /** Arguments: {@code --quick}, or none. */
  public static void main(String[] arguments) throws Exception {
    boolean quick = List.of(arguments).contains("--quick");
    try (JobQueues queues = JobQueues.start()) {
      new JobsBenchmark(quick, queues).run();
    }
    // Schedulers leave threads behind.
    System.exit(0);
  }

  private void run() throws Exception {
    int rounds = 3;
    for (int round = 0; round <= rounds; round++) {
      // The first one warms up.
      for (JobQueue queue : queues.all()) {
        round(queue, round > 0);
      }
    }
    for (JobQueue queue : queues.all()) {
      deep(queue);
    }
    figures.print();
  }

  private void round(JobQueue queue, boolean counts) throws Exception {
    int many = JobQueues.jobs(queue, quick ? 20_000 : 50_000);
    int few = JobQueues.jobs(queue, quick ? 1_000 : 3_000);
    queues.clear(queue);
    long begun = System.nanoTime();
    queue.enqueue(many, true);
    record("enqueue, batched", queue, many, begun, counts);
    drain("run, batched", queue, many, true, counts);
    begun = System.nanoTime();
    queue.enqueue(few, false);
    record("enqueue, one by one", queue, few, begun, counts);
    queue.enqueue(many / 4, true);
    drain("run, one by one", queue, many / 4 + few, false, counts);
  }

  private void record(String what, JobQueue queue, long count, long begun, boolean counts) {
    if (counts) {
      figures.add(what, queue.name(), count / JobQueues.seconds(begun));
    }
  }

  private void drain(String what, JobQueue queue, int count, boolean batched, boolean counts)
      throws Exception {
    double rate = JobQueues.work(queue, count, Duration.ofMinutes(2), batched);
    if (counts) {
      figures.add(what, queue.name(), rate);
    }
  }

  /** A deep queue; then the same with a transaction that keeps dead rows from being removed. */
  private void deep(JobQueue queue) throws Exception {
    int depth = quick ? 200_000 : 1_000_000;
    queues.clear(queue);
    queue.fill(JobQueues.jobs(queue, depth));
    Sql.run(queues.database(), "ANALYZE " + queue.table());
    int all = JobQueues.jobs(queue, depth);
    double rate = JobQueues.work(queue, all, Duration.ofSeconds(quick ? 10 : 40), true);
    figures.add("run, batched, deep queue", queue.name(), rate);
    table(queue, "of %,d enqueued".formatted(all));
    xminHeldBack(queue, rate);
    table(queue, "after xmin was held back");
  }

  /** Enough jobs for all that time, unless that would be millions. */
  private void xminHeldBack(JobQueue queue, double rate) throws Exception {
    Duration held = Duration.ofSeconds(quick ? 8 : 60);
    int enough = (int) Math.min(quick ? 400_000 : 2_500_000, rate * held.toSeconds());
    queue.fill(enough);
    try (Connection old = queues.database().getConnection()) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      old.createStatement().execute("SELECT txid_current()");
      figures.add(
          "run, batched, xmin held back", queue.name(), JobQueues.work(queue, enough, held, true));
      old.rollback();
    }
    // Time to vacuum, with some work going on, whatever was left.
    int some = Math.max(1, enough / 10);
    queue.fill(some);
    JobQueues.work(queue, some, Duration.ofSeconds(10), true);
  }

  private void table(JobQueue queue, String when) throws Exception {
    String name = "'" + queue.table() + "'::regclass";
    TimeUnit.SECONDS.sleep(2); // The server counts with a delay.
    figures.note(
        "%-13s %-25s %,9d rows left, %,9d dead, table %,5d MB with indexes"
            .formatted(
                queue.name(),
                when,
                Sql.number(queues.database(), "SELECT count(*) FROM " + queue.table()),
                Sql.number(
                    queues.database(),
                    "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = " + name),
                Sql.number(queues.database(), "SELECT pg_total_relation_size(" + name + ")")
                    >> 20));
  }
}
