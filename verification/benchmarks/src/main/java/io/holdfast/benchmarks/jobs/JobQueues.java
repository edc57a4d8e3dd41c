// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/** All queues that take part, on one server. */
final class JobQueues implements AutoCloseable {
  private static final Duration FIRST_JOB = Duration.ofMinutes(1);

  private final PostgresServer server;
  private final HikariDataSource database;
  private final List<JobQueue> all;

  private JobQueues(PostgresServer server) throws SQLException {
    this.server = server;
    this.database = pool(server);
    this.all =
        List.of(
            new HoldfastQueue(database),
            new HandWrittenQueue(database),
            new DbSchedulerQueue(database),
            new JobRunrQueue(database));
  }

  static JobQueues start() throws SQLException {
    return new JobQueues(
        PostgresServer.start("shared_buffers=256MB", "max_wal_size=4GB", "max_connections=100"));
  }

  private static HikariDataSource pool(PostgresServer server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setMaximumPoolSize(40);
    return new HikariDataSource(config);
  }

  List<JobQueue> all() {
    return all;
  }

  DataSource database() {
    return database;
  }

  /** JobRunr is slower by an order of magnitude, and would take all the time. */
  static int jobs(JobQueue queue, int usual) {
    return queue instanceof JobRunrQueue ? usual / 20 : usual;
  }

  /** Jobs a second, from the first that was done to the last, or to the end of this time. */
  static double work(JobQueue queue, long count, Duration longest, boolean batched)
      throws Exception {
    LongAdder done = new LongAdder();
    try (AutoCloseable worker = queue.start(done::increment, batched)) {
      awaitFirst(done, queue);
      long first = done.sum();
      long begun = System.nanoTime();
      while (done.sum() < count && System.nanoTime() - begun < longest.toNanos()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      double rate = (done.sum() - first) / seconds(begun);
      if (worker == null) {
        throw new IllegalStateException("nobody worked");
      }
      return rate;
    }
  }

  private static void awaitFirst(LongAdder done, JobQueue queue) throws InterruptedException {
    long begun = System.nanoTime();
    while (done.sum() == 0) {
      if (System.nanoTime() - begun > FIRST_JOB.toNanos()) {
        throw new IllegalStateException(queue.name() + " has done nothing for " + FIRST_JOB);
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  void clear(JobQueue queue) throws SQLException {
    Sql.run(database, "TRUNCATE " + queue.table());
    Sql.run(database, "CHECKPOINT");
  }

  @Override
  public void close() {
    all.forEach(JobQueue::close);
    database.close();
    server.close();
  }
}
