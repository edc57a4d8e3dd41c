// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** The queues of one test: a schema of its own, on a server that all tests of the JVM share. */
final class Queues implements AutoCloseable {
  static final String QUEUE = "q";
  static final Duration LEASE = Duration.ofMinutes(1);
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private final PostgresServer server;
  private final String schema = "jobs_" + SCHEMAS.incrementAndGet();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final DataSource dataSource;
  private final FaultyProxy network;

  static {
    // Connections that died in the pool are found out by their users, as after a fault of a moment.
    System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "600000");
  }

  /** Started by the first test that needs it. */
  private static final class Shared {
    static final PostgresServer SERVER =
        PostgresServer.start(
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=top");

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  Queues() {
    this(Shared.SERVER);
  }

  Queues(PostgresServer server) {
    this.server = server;
    this.dataSource = pool(server.port());
    this.network = new FaultyProxy(server.port());
  }

  PostgresServer server() {
    return server;
  }

  /** A way to the server on which things are lost if a test wants it. */
  FaultyProxy network() {
    return network;
  }

  String schema() {
    return schema;
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** Connections to the server by this port, which may be a proxy's. */
  DataSource pool(int port) {
    return pool(port, "postgres");
  }

  DataSource pool(int port, String user) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url(port, user));
    config.setMaximumPoolSize(8);
    config.setMinimumIdle(0);
    // Short only where a test loses the network on purpose.
    config.setConnectionTimeout(port == server.port() ? 60_000 : 2000);
    config.setInitializationFailTimeout(-1);
    HikariDataSource pool = new HikariDataSource(config);
    open.push(pool);
    return pool;
  }

  /** Opens connections of the pool, so that the next requests need no new ones. */
  static void warm(DataSource pool) throws SQLException {
    try (Connection one = pool.getConnection();
        Connection two = pool.getConnection();
        Connection three = pool.getConnection();
        Connection four = pool.getConnection()) {
      for (Connection each : List.of(one, two, three, four)) {
        each.createStatement().execute("SELECT 1");
      }
    }
  }

  Jobs jobs(JobListener... listeners) throws SQLException {
    return jobs(dataSource, builder -> builder, listeners);
  }

  Jobs jobs(DataSource source, UnaryOperator<Jobs.Builder> settings, JobListener... listeners)
      throws SQLException {
    Jobs.Builder builder = settings.apply(Jobs.builder(source).schema(schema));
    List.of(listeners).forEach(builder::listener);
    Jobs jobs = builder.open();
    open.push(jobs);
    return jobs;
  }

  /** Jobs of a client that has only the network that fails. */
  Jobs behindTheNetwork(JobListener listener) throws SQLException {
    return jobs(pool(network.port()), builder -> builder.hints(false), listener);
  }

  /** Jobs of a client that has only the network that fails, and a time of its own. */
  Jobs behindTheNetwork(WorkerTime time, JobListener listener) throws SQLException {
    return jobs(pool(network.port()), builder -> builder.hints(false).time(time), listener);
  }

  /** Jobs of a client that has a time of its own. */
  Jobs jobs(WorkerTime time, JobListener... listeners) throws SQLException {
    return jobs(dataSource, builder -> builder.hints(false).time(time), listeners);
  }

  /**
   * A worker that looks for jobs often, with a lease that a busy machine cannot lose, and is closed
   * at the end without patience.
   */
  Worker start(Jobs jobs, JobHandler handler) {
    return start(jobs, handler, worker -> worker);
  }

  Worker start(Jobs jobs, JobHandler handler, UnaryOperator<Worker.Builder> settings) {
    return start(jobs, handler, settings, QUEUE);
  }

  Worker start(
      Jobs jobs, JobHandler handler, UnaryOperator<Worker.Builder> settings, String queue) {
    Worker worker =
        settings
            .apply(
                jobs.worker(queue, handler)
                    .pollInterval(Duration.ofMillis(50))
                    .leaseTime(LEASE)
                    .drainTime(Duration.ofSeconds(2))
                    .retries(new RetryPolicy(Duration.ofMillis(20), Duration.ofMillis(40))))
            .start();
    open.push(worker);
    return worker;
  }

  static NewJob job(String payload) {
    return NewJob.of(QUEUE, payload);
  }

  static List<NewJob> jobs(int count) {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(job(Integer.toString(i)));
    }
    return jobs;
  }

  void run(String sql) {
    try (Connection connection = direct();
        Statement statement = connection.createStatement()) {
      statement.execute(named(sql));
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  /** The first column of the first row; the schema is written {@code $}. */
  long number(String sql) {
    try (Connection connection = direct();
        Statement statement = connection.createStatement()) {
      return number(statement, named(sql));
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Not of the pool, which a test may have used up: to look is always possible. */
  private Connection direct() throws SQLException {
    return DriverManager.getConnection(url(server.port(), "postgres"));
  }

  private static String url(int port, String user) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + user;
  }

  static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** With the schema's name in place of the dollar sign. */
  String named(String sql) {
    return sql.replace("$.", schema + ".").replace("$_", schema + "_");
  }

  /** A claim by hand, of up to so many jobs, by this worker. */
  String claim(long worker, int room) {
    return "$.claim(%d, 0, 'q', %d, %d, true, (-32768)::smallint, '-infinity', 0)"
        .formatted(worker, room, room);
  }

  long unfinished() {
    return number("SELECT count(*) FROM $.job");
  }

  void awaitNumber(String sql, LongPredicate isSo) {
    Eventually.until(sql, () -> isSo.test(number(sql)));
  }

  void awaitEmpty() {
    awaitNumber("SELECT count(*) FROM $.job", count -> count == 0);
  }

  /** Clients first, and their connections at last. */
  @Override
  public void close() {
    network.heal();
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception failed) {
        throw new AssertionError(failed);
      }
    }
    network.close();
    if (server != Shared.SERVER) {
      server.close();
    }
  }
}
