// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of the functions in schema.sql that are about recurring jobs: one statement each. */
record RecurringSql(JobsSql sql) {
  /**
   * A recurring job as it was seen.
   *
   * @param next when it is due
   * @param ended its run that has ended, which it waited for
   * @param most how many missed runs are made up for
   * @param now when it was seen, by the database's clock
   */
  record Due(
      String name, String recurrence, Instant next, @Nullable Long ended, int most, Instant now) {}

  /** What is to be enqueued, and when the next is due. */
  record Step(List<Instant> times, Instant following, boolean waits) {}

  boolean schedule(Connection connection, RecurringJob recurring, Instant first)
      throws SQLException {
    NewJob job = recurring.job();
    try (PreparedStatement statement =
        sql.prepare(
            connection, "schedule(?, ?, ?, ?, ?, ?::smallint, ?::smallint, ?, ?, ?) AS done")) {
      statement.setString(1, recurring.name());
      statement.setString(2, job.queue());
      statement.setString(3, recurring.recurrence().text());
      statement.setObject(4, OffsetDateTime.ofInstant(first, ZoneOffset.UTC));
      statement.setInt(5, recurring.missed().most());
      statement.setInt(6, -job.priority());
      statement.setInt(7, job.maxAttempts());
      statement.setString(8, job.uniqueKey());
      statement.setString(9, job.payload());
      statement.setString(10, job.group());
      return statement.execute();
    } catch (SQLException failed) {
      throw JobsSql.withoutPayload(failed, 1);
    }
  }

  boolean unschedule(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM %s.recurring WHERE name = ?".formatted(sql.schema()))) {
      statement.setString(1, name);
      return statement.executeUpdate() == 1;
    }
  }

  List<Due> due(Connection connection, String queue) throws SQLException {
    List<Due> due = new ArrayList<>();
    try (PreparedStatement statement = sql.prepare(connection, "recurring_due(?)")) {
      statement.setString(1, queue);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          due.add(
              new Due(
                  row.getString(1),
                  row.getString(2),
                  instant(row, 3),
                  row.getObject(4, Long.class),
                  row.getInt(5),
                  instant(row, 6)));
        }
      }
    }
    return due;
  }

  /** How many jobs were enqueued; none if another worker was faster. */
  int recur(Connection connection, Due seen, Step step) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, "recur(?, ?, ?, ?, ?, ?)")) {
      statement.setString(1, seen.name);
      statement.setObject(2, OffsetDateTime.ofInstant(seen.next, ZoneOffset.UTC));
      statement.setObject(3, seen.ended, Types.BIGINT);
      statement.setArray(4, SqlArrays.times(connection, step.times.stream()));
      statement.setObject(5, OffsetDateTime.ofInstant(step.following, ZoneOffset.UTC));
      statement.setBoolean(6, step.waits);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }
}
