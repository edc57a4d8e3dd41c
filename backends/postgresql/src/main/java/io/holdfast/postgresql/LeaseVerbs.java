// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The other verbs of lease mode, each one statement for all requests that come together. */
final class LeaseVerbs {
  private static final String RELEASE =
      """
      SELECT n, holdfast.lease_release(name, holder)
      FROM (SELECT * FROM unnest(?, ?) WITH ORDINALITY AS each(name, holder, n)
            ORDER BY hashtext(name), n OFFSET 0) AS leaving
      """;

  /** Locks the rows in the order in which acquire visits them. Never inserts. */
  private static final String RENEW =
      """
      WITH asked AS MATERIALIZED (
        SELECT * FROM unnest(?, ?, ?) WITH ORDINALITY AS each(name, holder, lease, n)),
      alive AS MATERIALIZED (
        SELECT lease.name, lease.holder FROM holdfast.lease
        WHERE (lease.name, lease.holder) IN (SELECT name, holder FROM asked)
          AND state = 1 AND until > clock_timestamp()
        ORDER BY hashtext(lease.name), lease.holder FOR NO KEY UPDATE),
      renewed AS (
        UPDATE holdfast.lease
        SET until = clock_timestamp() + asked.lease::float8 * interval '1 microsecond'
        FROM alive JOIN asked USING (name, holder)
        WHERE lease.name = alive.name AND lease.holder = alive.holder
        RETURNING lease.name, lease.holder)
      SELECT n, CASE
        WHEN EXISTS (SELECT FROM renewed WHERE (name, holder) = (asked.name, asked.holder))
          THEN 'RENEWED'
        WHEN EXISTS (SELECT FROM holdfast.lease AS own
                     WHERE (own.name, own.holder) = (asked.name, asked.holder) AND state = 2)
          THEN 'FORCED'
        WHEN EXISTS (SELECT FROM holdfast.lease AS other
                     WHERE other.name = asked.name AND other.holder <> asked.holder
                       AND state = 1 AND until > clock_timestamp())
          THEN 'TAKEN'
        ELSE 'GONE' END
      FROM asked ORDER BY n
      """;

  private static final String FORCE_RELEASE = "SELECT holdfast.lease_force_release(?, ?, ?)";

  private LeaseVerbs() {}

  static Line.Verb<Hold, Boolean> release(PostgresSettings settings) {
    String sql = settings.sql(RELEASE);
    return (connection, tasks) -> {
      List<Hold> holds = tasks.stream().map(Line.Task::request).toList();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        new Columns<>(statement, holds)
            .column("text", Hold::name)
            .column("text", hold -> hold.holder().toString());
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            tasks.get(row.getInt(1) - 1).answer().complete(row.getBoolean(2));
          }
        }
      }
    };
  }

  static Line.Verb<List<Hold>, List<Renewal>> renew(PostgresSettings settings) {
    String sql = settings.sql(RENEW);
    return (connection, tasks) -> {
      List<Hold> all = new ArrayList<>();
      tasks.forEach(task -> all.addAll(task.request()));
      List<Renewal> answers = renew(connection, sql, all);
      int from = 0;
      for (Line.Task<List<Hold>, List<Renewal>> task : tasks) {
        int to = from + task.request().size();
        task.answer().complete(List.copyOf(answers.subList(from, to)));
        from = to;
      }
    };
  }

  private static List<Renewal> renew(Connection connection, String sql, List<Hold> holds)
      throws SQLException {
    List<Renewal> answers = new ArrayList<>(holds.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Columns<>(statement, holds)
          .column("text", Hold::name)
          .column("text", hold -> hold.holder().toString())
          .column("int8", hold -> LeaseAcquire.micros(hold.leaseTime()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          answers.add(Renewal.valueOf(row.getString(2)));
        }
      }
    }
    return answers;
  }

  /**
   * What to end by force.
   *
   * @param reason why, for the trace in the table and in the server's log
   */
  record Force(String name, long token, String reason) {}

  static Line.Verb<Force, Boolean> forceRelease(PostgresSettings settings) {
    String sql = settings.sql(FORCE_RELEASE);
    return (connection, tasks) -> {
      for (Line.Task<Force, Boolean> task : tasks) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          Force force = task.request();
          new Columns<>(statement, List.of(force))
              .text(force.name())
              .number(force.token())
              .text(force.reason());
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            task.answer().complete(row.getBoolean(1));
          }
        }
      }
    };
  }
}
