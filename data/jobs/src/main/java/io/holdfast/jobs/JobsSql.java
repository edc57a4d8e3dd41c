// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The calls of the functions in schema.sql: one statement each. */
final class JobsSql {
  /** Not JSON; a character that jsonb cannot hold; a character that text cannot hold. */
  private static final Set<String> BAD_PAYLOAD = Set.of("22P02", "22P05", "22021", "54000");

  private final String schema;

  JobsSql(String schema) {
    this.schema = schema;
  }

  String schema() {
    return schema;
  }

  PreparedStatement prepare(Connection connection, String call) throws SQLException {
    return connection.prepareStatement("SELECT * FROM " + schema + "." + call);
  }

  List<OptionalLong> enqueue(Connection connection, List<NewJob> jobs, List<String> hints)
      throws SQLException {
    try (PreparedStatement statement =
        prepare(connection, "enqueue(?, ?, ?, ?, ?, ?, ?, ?, ?) AS id")) {
      statement.setArray(1, SqlArrays.texts(connection, jobs.stream().map(NewJob::queue)));
      statement.setArray(
          2, SqlArrays.smalls(connection, jobs.stream().map(job -> -job.priority())));
      statement.setArray(3, SqlArrays.smalls(connection, jobs.stream().map(NewJob::maxAttempts)));
      statement.setArray(
          4, SqlArrays.longs(connection, jobs.stream().map(job -> SqlArrays.micros(job.delay()))));
      statement.setArray(5, SqlArrays.times(connection, jobs.stream().map(NewJob::due)));
      statement.setArray(6, SqlArrays.texts(connection, jobs.stream().map(NewJob::uniqueKey)));
      statement.setArray(7, SqlArrays.texts(connection, jobs.stream().map(NewJob::payload)));
      statement.setArray(8, SqlArrays.texts(connection, jobs.stream().map(NewJob::group)));
      statement.setArray(9, SqlArrays.texts(connection, hints.stream()));
      return ids(statement);
    } catch (SQLException failed) {
      throw withoutPayload(failed, jobs.size());
    }
  }

  /** The failure, unless it shows a payload that is not JSON: that is thrown as another. */
  static SQLException withoutPayload(SQLException failed, int jobs) {
    String state = failed.getSQLState();
    if (state != null && BAD_PAYLOAD.contains(state)) {
      throw new InvalidPayloadException(jobs, state);
    }
    return failed;
  }

  private static List<OptionalLong> ids(PreparedStatement statement) throws SQLException {
    List<OptionalLong> ids = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        long id = rows.getLong(1);
        ids.add(rows.wasNull() ? OptionalLong.empty() : OptionalLong.of(id));
      }
    }
    return ids;
  }

  static Set<Long> numbers(PreparedStatement statement) throws SQLException {
    Set<Long> numbers = new HashSet<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        numbers.add(rows.getLong(1));
      }
    }
    return numbers;
  }

  /** The time by the database's clock. */
  Instant now(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT clock_timestamp()");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  long register(Connection connection, String queue, String name, Duration lease)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, "register(?, ?, ?)")) {
      statement.setString(1, queue);
      statement.setString(2, name);
      statement.setLong(3, SqlArrays.micros(lease));
      return numbers(statement).iterator().next();
    }
  }

  /** The tokens of these claims that are not there any more; empty if the worker is not either. */
  Optional<Set<Long>> heartbeat(
      Connection connection, long worker, Duration lease, List<Run> running) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "heartbeat(?, ?, ?, ?)")) {
      statement.setLong(1, worker);
      statement.setLong(2, SqlArrays.micros(lease));
      statement.setArray(3, SqlArrays.longs(connection, running.stream().map(Run::id)));
      statement.setArray(
          4, SqlArrays.longs(connection, running.stream().map(run -> run.token().value())));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Array gone = row.getArray(1);
        return gone == null
            ? Optional.empty()
            : Optional.of(new HashSet<>(Arrays.asList((Long[]) gone.getArray())));
      }
    }
  }

  /** The worker's new epoch; empty if it is not there any more. */
  OptionalInt disown(Connection connection, long worker, List<Long> known) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "disown(?, ?)")) {
      statement.setLong(1, worker);
      statement.setArray(2, SqlArrays.longs(connection, known.stream()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        int epoch = row.getInt(1);
        return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(epoch);
      }
    }
  }

  /** A job that was taken from a dead worker. */
  record Rescued(long id, String queue, int attempt, boolean isDead) {}

  List<Rescued> rescue(Connection connection) throws SQLException {
    List<Rescued> rescued = new ArrayList<>();
    try (PreparedStatement statement = prepare(connection, "rescue()");
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        rescued.add(
            new Rescued(rows.getLong(1), rows.getString(2), rows.getInt(3), rows.getBoolean(4)));
      }
    }
    return rescued;
  }

  boolean leave(Connection connection, long worker) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "leave(?)")) {
      statement.setLong(1, worker);
      return statement.execute();
    }
  }

  /** Sets what is said of a queue; what is null stays as it is. */
  boolean say(
      Connection connection,
      String queue,
      @Nullable Boolean paused,
      @Nullable Integer limit,
      @Nullable Integer perGroup)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, "say(?, ?, ?, ?)")) {
      statement.setString(1, queue);
      statement.setObject(2, paused, Types.BOOLEAN);
      statement.setObject(3, limit, Types.INTEGER);
      statement.setObject(4, perGroup, Types.INTEGER);
      return statement.execute();
    }
  }

  boolean isPaused(Connection connection, String queue) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT EXISTS (SELECT FROM %s.queue WHERE name = ? AND paused)".formatted(schema))) {
      statement.setString(1, queue);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  /** What the job was; empty if there is none. */
  Optional<JobState> cancel(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "cancel(?)")) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        int state = row.getInt(1);
        return row.wasNull() ? Optional.empty() : Optional.of(JobState.of(state));
      }
    }
  }

  boolean runNow(Connection connection, long id) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "run_now(?)")) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  List<Long> redrive(Connection connection, String queue, @Nullable Long id, int limit)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, "redrive(?, ?, ?)")) {
      statement.setString(1, queue);
      statement.setObject(2, id, Types.BIGINT);
      statement.setInt(3, limit);
      return List.copyOf(numbers(statement));
    }
  }

  int forget(Connection connection, JobState state, Duration age, int limit) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "forget(?::smallint, ?, ?)")) {
      statement.setInt(1, state.number());
      statement.setLong(2, SqlArrays.micros(age));
      statement.setInt(3, limit);
      return Math.toIntExact(numbers(statement).iterator().next());
    }
  }

  List<DeadLetter> deadLetters(Connection connection, String queue, int limit) throws SQLException {
    List<DeadLetter> letters = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            SELECT id, queue, payload::text, attempt, error, finished_at FROM %s.finished
            WHERE state = 4 AND queue = ? ORDER BY finished_at, id LIMIT ?"""
                .formatted(schema))) {
      statement.setString(1, queue);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          letters.add(
              new DeadLetter(
                  row.getLong(1),
                  row.getString(2),
                  row.getString(3),
                  row.getInt(4),
                  row.getString(5),
                  row.getObject(6, OffsetDateTime.class).toInstant()));
        }
      }
    }
    return letters;
  }
}
