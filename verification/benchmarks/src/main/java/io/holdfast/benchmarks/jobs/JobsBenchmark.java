// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * Jobs that do nothing, in one process and on one server, beside db-scheduler, JobRunr and SQL
 * written by hand. Repetitions are interleaved, and figures are medians, in jobs a second. {@code
 * --quick} for the order of magnitude.
 */
public final class JobsBenchmark {
  private static final Duration FIRST_JOB = Duration.ofMinutes(1);
  private final boolean quick;
  private final DataSource database;
  private final List<JobQueue> queues;
  private final Figures figures = new Figures();

  private JobsBenchmark(boolean quick, DataSource database) throws SQLException {
    this.quick = quick;
    this.database = database;
    this.queues =
        List.of(
            new HoldfastQueue(database),
            new HandWrittenQueue(database),
            new DbSchedulerQueue(database),
            new JobRunrQueue(database));
  }

  /** Arguments: {@code --quick}, or none. */
  public static void main(String[] arguments) throws Exception {
    boolean quick = List.of(arguments).contains("--quick");
    try (PostgresServer server =
            PostgresServer.start(
                "shared_buffers=256MB", "max_wal_size=4GB", "max_connections=100");
        HikariDataSource pool = pool(server)) {
      new JobsBenchmark(quick, pool).run();
    }
    // Schedulers leave threads behind.
    System.exit(0);
  }

  private static HikariDataSource pool(PostgresServer server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setMaximumPoolSize(40);
    return new HikariDataSource(config);
  }

  private void run() throws Exception {
    int rounds = 3;
    for (int round = 0; round <= rounds; round++) {
      // The first one warms up.
      for (JobQueue queue : queues) {
        round(queue, round > 0);
      }
    }
    for (JobQueue queue : queues) {
      deep(queue);
    }
    figures.print();
    for (JobQueue queue : queues) {
      queue.close();
    }
  }

  private void round(JobQueue queue, boolean counts) throws Exception {
    int many = jobs(queue, quick ? 20_000 : 50_000);
    int few = jobs(queue, quick ? 1_000 : 3_000);
    clear(queue);
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

  /** JobRunr is slower by an order of magnitude, and would take all the time. */
  private static int jobs(JobQueue queue, int usual) {
    return queue instanceof JobRunrQueue ? usual / 20 : usual;
  }

  private void record(String what, JobQueue queue, long count, long begun, boolean counts) {
    if (counts) {
      figures.add(what, queue.name(), count / seconds(begun));
    }
  }

  private static double seconds(long begun) {
    return (System.nanoTime() - begun) / 1e9;
  }

  private void drain(String what, JobQueue queue, int count, boolean batched, boolean counts)
      throws Exception {
    double rate = work(queue, count, Duration.ofMinutes(2), batched);
    if (counts) {
      figures.add(what, queue.name(), rate);
    }
  }

  /** Jobs a second, from the first that was done to the last, or to the end of this time. */
  private static double work(JobQueue queue, long count, Duration longest, boolean batched)
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

  /** A deep queue; then the same with a transaction that keeps dead rows from being removed. */
  private void deep(JobQueue queue) throws Exception {
    int depth = quick ? 200_000 : 1_000_000;
    clear(queue);
    queue.fill(jobs(queue, depth));
    Sql.run(database, "ANALYZE " + queue.table());
    int all = jobs(queue, depth);
    double rate = work(queue, all, Duration.ofSeconds(quick ? 10 : 40), true);
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
    try (Connection old = database.getConnection()) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      old.createStatement().execute("SELECT txid_current()");
      figures.add("run, batched, xmin held back", queue.name(), work(queue, enough, held, true));
      old.rollback();
    }
    // Time to vacuum, with some work going on, whatever was left.
    int some = Math.max(1, enough / 10);
    queue.fill(some);
    work(queue, some, Duration.ofSeconds(10), true);
  }

  private void table(JobQueue queue, String when) throws Exception {
    String name = "'" + queue.table() + "'::regclass";
    TimeUnit.SECONDS.sleep(2); // The server counts with a delay.
    figures.note(
        "%-13s %-25s %,9d rows left, %,9d dead, table %,5d MB with indexes"
            .formatted(
                queue.name(),
                when,
                Sql.number(database, "SELECT count(*) FROM " + queue.table()),
                Sql.number(
                    database, "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = " + name),
                Sql.number(database, "SELECT pg_total_relation_size(" + name + ")") >> 20));
  }

  private void clear(JobQueue queue) throws SQLException {
    Sql.run(database, "TRUNCATE " + queue.table());
    Sql.run(database, "CHECKPOINT");
  }
}
