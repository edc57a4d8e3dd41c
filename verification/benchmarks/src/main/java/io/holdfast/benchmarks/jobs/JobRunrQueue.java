// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import java.io.Serial;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration.JobRunrConfigurationResult;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr, with its PostgreSQL storage. */
final class JobRunrQueue implements JobQueue {
  private static final int WORKERS = 20;
  private static final AtomicReference<Runnable> DONE = new AtomicReference<>(() -> {});

  private final DataSource database;
  private final PostgresStorageProvider storage;
  private final JobRequestScheduler scheduler;

  JobRunrQueue(DataSource database) {
    this.database = database;
    this.storage = new PostgresStorageProvider(database);
    this.scheduler =
        JobRunr.configure().useStorageProvider(storage).initialize().getJobRequestScheduler();
  }

  /** The job. */
  public static final class Nothing implements JobRequest {
    @Serial private static final long serialVersionUID = 1L;

    @Override
    public Class<NothingHandler> getJobRequestHandler() {
      return NothingHandler.class;
    }
  }

  /** What is done with it. */
  public static final class NothingHandler implements JobRequestHandler<Nothing> {
    @Override
    public void run(Nothing job) {
      DONE.get().run();
    }
  }

  @Override
  public String name() {
    return "JobRunr";
  }

  @Override
  public String table() {
    return "jobrunr_jobs";
  }

  @Override
  public void enqueue(int count, boolean batched) {
    if (batched) {
      scheduler.enqueue(Stream.generate(Nothing::new).limit(count));
      return;
    }
    for (int i = 0; i < count; i++) {
      scheduler.enqueue(new Nothing());
    }
  }

  /** Copies of a job that it has enqueued itself, each with an id of its own. */
  @Override
  public void fill(int count) throws SQLException {
    enqueue(1, false);
    Sql.run(
        database,
        """
        INSERT INTO jobrunr_jobs
        SELECT (copy).* FROM (
          SELECT jsonb_populate_record(NULL::jobrunr_jobs, to_jsonb(job) || jsonb_build_object(
            'id', fresh.id, 'jobasjson', replace(job.jobasjson, job.id, fresh.id))) AS copy
          FROM (SELECT * FROM jobrunr_jobs WHERE state = 'ENQUEUED' LIMIT 1) AS job,
               (SELECT gen_random_uuid()::text AS id FROM generate_series(2, COUNT)) AS fresh) AS copies"""
            .replace("COUNT", Integer.toString(count)));
  }

  @Override
  public AutoCloseable start(Runnable done, boolean batched) {
    DONE.set(done);
    JobRunrConfigurationResult started =
        JobRunr.configure()
            .useStorageProvider(storage)
            .useBackgroundJobServer(
                usingStandardBackgroundJobServerConfiguration()
                    .andWorkerCount(batched ? WORKERS : 1)
                    .andPollInterval(Duration.ofSeconds(5))
                    .andDeleteSucceededJobsAfter(Duration.ofHours(1)))
            .initialize();
    if (started.getJobRequestScheduler() == null) {
      throw new IllegalStateException("JobRunr did not start");
    }
    return () -> {
      DONE.set(() -> {});
      JobRunr.destroy();
    };
  }

  @Override
  public void close() {
    JobRunr.destroy();
  }
}
