// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import io.holdfast.jobs.JobListener;
import io.holdfast.jobs.Jobs;
import io.holdfast.jobs.NewJob;
import io.holdfast.jobs.Recurrence;
import io.holdfast.jobs.RecurringJob;
import io.holdfast.jobs.Worker;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** Ours, with a time-out for each job and a recurring job, which are to cost nothing. */
final class HoldfastQueue implements JobQueue, JobListener {
  private static final int BATCH = 1000;
  private static final NewJob JOB = NewJob.of("bench", "{\"n\": 1}");

  private final DataSource database;
  private final Jobs jobs;
  private final AtomicReference<Runnable> done = new AtomicReference<>(() -> {});

  HoldfastQueue(DataSource database) throws SQLException {
    this.database = database;
    this.jobs = Jobs.builder(database).listener(this).open();
    jobs.schedule(RecurringJob.of("yearly", Recurrence.cron("0 0 1 1 *", ZoneOffset.UTC), JOB));
  }

  /** Counted when the database knows that it is done; the others count when it has run. */
  @Override
  public void completed(Completed event) {
    done.get().run();
  }

  @Override
  public String name() {
    return "Holdfast";
  }

  @Override
  public String table() {
    return "holdfast_jobs.job";
  }

  @Override
  public void enqueue(int count, boolean batched) throws SQLException {
    if (!batched) {
      for (int i = 0; i < count; i++) {
        jobs.enqueue(JOB);
      }
      return;
    }
    for (int i = 0; i < count; i += BATCH) {
      jobs.enqueue(Collections.nCopies(Math.min(BATCH, count - i), JOB));
    }
  }

  @Override
  public void fill(int count) throws SQLException {
    Sql.run(
        database,
        """
        INSERT INTO holdfast_jobs.job (id, queue, state, rank, max_attempts, run_at, enqueued_at, payload)
        SELECT nextval('holdfast_jobs.job_id'), 'bench', 1, 0, 10, now(), now(), '{"n": 1}'
        FROM generate_series(1, COUNT)"""
            .replace("COUNT", Integer.toString(count)));
  }

  @Override
  public AutoCloseable start(Runnable onDone, boolean batched) {
    done.set(onDone);
    Worker.Builder worker = jobs.worker("bench", job -> {}).timeout(Duration.ofMinutes(1));
    return batched
        ? worker.concurrency(4).prefetch(2000).start()
        : worker.concurrency(8).prefetch(0).start();
  }

  @Override
  public void close() {
    jobs.close();
  }
}
