// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** db-scheduler: lock-and-fetch as "batched", fetch and lock on execute as "one by one". */
final class DbSchedulerQueue implements JobQueue {
  private static final int BATCH = 1000;
  private static final int THREADS = 20;

  private final DataSource database;
  private final AtomicReference<Runnable> done = new AtomicReference<>(() -> {});
  private final OneTimeTask<Void> task =
      Tasks.oneTime("bench").execute((instance, context) -> done.get().run());
  private final SchedulerClient client;
  private long next;

  DbSchedulerQueue(DataSource database) throws SQLException {
    this.database = database;
    Sql.run(
        database,
        """
        CREATE TABLE scheduled_tasks (
          task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
          execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
          last_success timestamptz, last_failure timestamptz, consecutive_failures int,
          last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
          PRIMARY KEY (task_name, task_instance));
        CREATE INDEX ON scheduled_tasks (execution_time);
        CREATE INDEX ON scheduled_tasks (last_heartbeat)""");
    this.client = SchedulerClient.Builder.create(database, task).build();
  }

  @Override
  public String name() {
    return "db-scheduler";
  }

  @Override
  public String table() {
    return "scheduled_tasks";
  }

  @Override
  public void enqueue(int count, boolean batched) {
    if (!batched) {
      for (int i = 0; i < count; i++) {
        client.scheduleIfNotExists(instance(), Instant.now());
      }
      return;
    }
    for (int i = 0; i < count; i += BATCH) {
      List<TaskInstance<?>> batch = new ArrayList<>(BATCH);
      for (int j = 0; j < BATCH; j++) {
        batch.add(instance());
      }
      client.scheduleBatch(batch, Instant.now());
    }
  }

  private TaskInstance<Void> instance() {
    return task.instance(Long.toString(next++));
  }

  @Override
  public void fill(int count) throws SQLException {
    Sql.run(
        database,
        "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
            + " SELECT 'bench', 'filled-' || gen_random_uuid(), now(), false, 1"
            + " FROM generate_series(1, "
            + count
            + ")");
  }

  @Override
  public AutoCloseable start(Runnable onDone, boolean batched) {
    done.set(onDone);
    SchedulerBuilder builder =
        Scheduler.create(database, task)
            .threads(THREADS)
            .pollingInterval(Duration.ofMillis(100))
            .shutdownMaxWait(Duration.ofSeconds(5));
    Scheduler scheduler =
        (batched
                ? builder.pollUsingLockAndFetch(0.5, 4.0)
                : builder.pollUsingFetchAndLockOnExecute(0.5, 4.0))
            .build();
    scheduler.start();
    return scheduler::stop;
  }

  @Override
  public void close() {
    done.set(() -> {});
  }
}
