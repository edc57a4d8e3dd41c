// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.FencingToken;
import io.holdfast.jdbc.FencingGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * A process with a worker whose jobs write down when they ran, by the database's clock, and have an
 * effect in the database: half of them in one transaction with their completion, half behind a
 * guard. Some are snoozed, some are to be tried again at once, and some hang for longer than they
 * may. It ends when its input does.
 */
final class WorkerProcess {
  static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  static final String TABLES =
      """
      CREATE TABLE $.run (job bigint, token bigint PRIMARY KEY, worker bigint,
                          began timestamptz, ended timestamptz);
      CREATE TABLE $.effect (job bigint, token bigint);
      CREATE TABLE $.timed_out (token bigint PRIMARY KEY);
      CREATE TABLE $.tick (job bigint, due text);
      CREATE TABLE $.loss (worker bigint, until timestamptz, at timestamptz);
      CREATE FUNCTION $.lost() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO $.loss VALUES (OLD.id, OLD.until, clock_timestamp()); RETURN NULL; END';
      CREATE TRIGGER lost AFTER DELETE ON $.worker FOR EACH ROW EXECUTE FUNCTION $.lost()""";

  private final DataSource database;
  private final String schema;
  private final int pauseMillis;

  private WorkerProcess(DataSource database, String schema, int pauseMillis) {
    this.database = database;
    this.schema = schema;
    this.pauseMillis = pauseMillis;
  }

  static Process start(String url, String schema, int pauseMillis) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx128m",
            "-cp",
            System.getProperty("java.class.path"),
            WorkerProcess.class.getName(),
            url,
            schema,
            Integer.toString(pauseMillis))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Arguments: the address of the database, the schema, how many milliseconds a job may take. */
  public static void main(String[] arguments) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[0]);
    config.setMaximumPoolSize(10);
    try (HikariDataSource pool = new HikariDataSource(config);
        Jobs jobs = jobs(pool, arguments[1])) {
      WorkerProcess self = new WorkerProcess(pool, arguments[1], Integer.parseInt(arguments[2]));
      try (Worker worker =
          jobs.worker(Queues.QUEUE, self::run)
              .concurrency(6)
              .prefetch(40)
              .leaseTime(LEASE)
              .timeout(TIMEOUT)
              .retries(new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(500)))
              .start()) {
        while (System.in.read() >= 0) {
          Thread.onSpinWait();
        }
        System.out.println(worker + " ends");
      }
    }
  }

  /** Writes down whose time was over, before others may begin. */
  private static Jobs jobs(DataSource pool, String schema) throws SQLException {
    WorkerProcess writer = new WorkerProcess(pool, schema, 0);
    return Jobs.builder(pool)
        .schema(schema)
        .createSchema(false)
        .listener(
            new JobListener() {
              @Override
              public void lost(Lost event) {
                if (event.cause() == LossOfClaim.TIMED_OUT) {
                  writer.timedOut(event.subject().token());
                }
              }
            })
        .open();
  }

  private void timedOut(FencingToken token) {
    try {
      update("INSERT INTO $.timed_out VALUES (?)", token.value());
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private void run(JobContext job) throws Exception {
    if (job.due().isPresent()) {
      update("INSERT INTO $.tick VALUES (?, '" + job.due().orElseThrow() + "')", job.id());
      return;
    }
    update(
        "INSERT INTO $.run VALUES (?, ?, (SELECT worker FROM $.job WHERE id = ? AND token = ?),"
            + " clock_timestamp())",
        job.id(),
        job.token().value(),
        job.id(),
        job.token().value());
    try {
      // Now and then one that takes long enough to be met by a fault.
      behaveBadly(job, ThreadLocalRandom.current().nextInt(600));
      boolean isLong = ThreadLocalRandom.current().nextInt(500) == 0;
      Thread.sleep(ThreadLocalRandom.current().nextInt(isLong ? 300 : pauseMillis));
      if (job.id() % 2 == 0) {
        effectWithCompletion(job);
      } else {
        effectBehindGuard(job);
      }
    } finally {
      update("UPDATE $.run SET ended = clock_timestamp() WHERE token = ?", job.token().value());
    }
  }

  @SuppressWarnings("ThreadInterruptedResult") // Clearing it is the purpose.
  private static void behaveBadly(JobContext job, int chance) {
    if (chance < 5) {
      throw new SnoozeException(Duration.ofMillis(10));
    }
    if (chance < 10) {
      throw new RetryNowException("once more");
    }
    if (chance == 10 && job.attempt() == 1) {
      long end = System.nanoTime() + TIMEOUT.plusSeconds(2).toNanos();
      while (System.nanoTime() - end < 0) {
        // As code does that knows nothing of interrupts.
        LockSupport.parkNanos(10_000_000);
        Thread.interrupted();
      }
    }
  }

  private void effectWithCompletion(JobContext job) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try {
        job.complete(connection);
        effect(connection, job.id(), job.token());
        connection.commit();
      } finally {
        connection.rollback();
      }
    }
  }

  /** The guard keeps older runs out; that the effect is there already tells the newer ones. */
  private void effectBehindGuard(JobContext job) throws SQLException {
    FencingGuard.table(schema + "/" + job.id())
        .idleTimeout(Duration.ofSeconds(5))
        .in(database)
        .with(job.token())
        .call(
            connection -> {
              try (PreparedStatement seen =
                  prepare(connection, "SELECT FROM $.effect WHERE job = ?")) {
                seen.setLong(1, job.id());
                boolean isNew = !seen.executeQuery().next();
                if (isNew) {
                  effect(connection, job.id(), job.token());
                }
                return isNew;
              }
            });
  }

  private void effect(Connection connection, long job, FencingToken token) throws SQLException {
    try (PreparedStatement insert = prepare(connection, "INSERT INTO $.effect VALUES (?, ?)")) {
      insert.setLong(1, job);
      insert.setLong(2, token.value());
      insert.executeUpdate();
    }
  }

  private void update(String sql, long... values) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement = prepare(connection, sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    return connection.prepareStatement(sql.replace("$.", schema + "."));
  }
}
