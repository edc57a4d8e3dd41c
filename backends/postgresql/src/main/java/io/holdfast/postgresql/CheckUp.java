// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What an operator should know of the server that keeps the locks. */
final class CheckUp {
  private static final String LOOK =
      """
      SELECT version(), clock_timestamp(), current_setting('fsync'),
             current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
             (SELECT count(*) FROM pg_stat_replication),
             (SELECT count(*) FROM pg_stat_activity),
             current_setting('max_connections')::int
      """;

  private static final String STATEMENTS =
      """
      SELECT coalesce(sum(calls), 0) FROM %s.pg_stat_statements
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      """;

  private static final String PLACE_OF_COUNTS =
      "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'pg_stat_statements'";

  private CheckUp() {}

  /** On a connection and a thread of its own: it is rare, and may take its time. */
  static CompletableFuture<List<Finding>> of(Connections connections, PostgresSettings settings) {
    return ask(connections, settings, connection -> findings(connection, connections.sslMode()));
  }

  /** Statements, if the server has the extension that counts them. */
  static CompletableFuture<OptionalLong> executedCommands(
      Connections connections, PostgresSettings settings) {
    return ask(connections, settings, CheckUp::statements);
  }

  private interface Question<T> {
    T askedOf(Connection connection) throws SQLException;
  }

  private static <T> CompletableFuture<T> ask(
      Connections connections, PostgresSettings settings, Question<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (Connection connection = connections.open(settings.timeout())) {
                answer.complete(question.askedOf(connection));
              } catch (SQLException failed) {
                answer.completeExceptionally(
                    Failures.ofConnection("cannot look at " + connections, failed, null));
              } catch (RuntimeException failed) {
                answer.completeExceptionally(failed);
              }
            },
            "holdfast-postgresql-check-up");
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  private static OptionalLong statements(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String place = placeOfCounts(statement);
      if (place == null) {
        return OptionalLong.empty();
      }
      try (ResultSet row = statement.executeQuery(STATEMENTS.formatted(place))) {
        row.next();
        return OptionalLong.of(row.getLong(1));
      }
    } catch (SQLException notLoaded) {
      if (Failures.isBroken(notLoaded)) {
        throw notLoaded;
      }
      return OptionalLong.empty();
    }
  }

  /** The schema of the extension: any role may have put a view of that name into another one. */
  private static @Nullable String placeOfCounts(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(PLACE_OF_COUNTS)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private static List<Finding> findings(Connection connection, @Nullable String sslMode)
      throws SQLException {
    Finding encryption = Encryption.finding(connection, sslMode);
    boolean isDirect = Pooler.isDirect(connection);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(LOOK)) {
      row.next();
      return List.of(
          Finding.good("server", row.getString(1).replaceFirst(" on .*", "")),
          clock(row.getTimestamp(2).toInstant()),
          persistence(row.getString(3), row.getString(4)),
          replicas(row.getInt(6), row.getString(5)),
          connections(row.getInt(7), row.getInt(8)),
          pooler(isDirect),
          encryption,
          Finding.good(
              "permissions", "the schema is there and may be used; 'holdfast schema' prints it"));
    }
  }

  private static Finding clock(Instant theirs) {
    Duration offset = Duration.between(Instant.now(), theirs);
    String seen = offset.toMillis() + " ms from ours";
    return offset.abs().compareTo(Duration.ofSeconds(1)) > 0
        ? Finding.caution(
            "clock offset",
            seen,
            "harmless for locks, which count by the server's clock alone; but do not set it forward")
        : Finding.good("clock offset", seen);
  }

  private static Finding persistence(String fsync, String commit) {
    String seen = "fsync " + fsync + ", synchronous_commit " + commit;
    return fsync.equals("on") && !commit.equals("off")
        ? Finding.good("persistence", seen)
        : Finding.caution(
            "persistence",
            seen,
            "a crash may forget a lock that is held, and its token: turn both on");
  }

  private static Finding replicas(int present, String synchronous) {
    String seen =
        present + " connected, " + (synchronous.isEmpty() ? "none is synchronous" : synchronous);
    return present > 0 && synchronous.isEmpty()
        ? Finding.caution(
            "replicas",
            seen,
            "a fail-over may forget a lock that is held: set synchronous_standby_names, or accept it")
        : Finding.good("replicas", seen);
  }

  private static Finding connections(int used, int most) {
    String seen = used + " used of " + most;
    return used > most * 9 / 10
        ? Finding.caution("connections", seen, "raise max_connections, or put a pooler before it")
        : Finding.good("connections", seen);
  }

  private static Finding pooler(boolean isDirect) {
    return isDirect
        ? Finding.good("pooler", "none: the session is ours")
        : Finding.caution(
            "pooler",
            "a transaction pooler is in between",
            "lease mode works, and waiters poll; advisory mode needs a direct connection");
  }
}
