// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The other verbs of lease mode, each one statement for all requests that come together. */
final class LeaseVerbs {
  private static final String RELEASE =
      """
      SELECT n, holdfast.lease_release(name, holder)
      FROM (SELECT * FROM unnest(?, ?) WITH ORDINALITY AS each(name, holder, n)
            ORDER BY hashtext(name), n OFFSET 0) AS leaving
      """;

  private static final String RENEW = "SELECT n, outcome FROM holdfast.lease_renew(?, ?, ?)";

  /** So many leases are renewed in some milliseconds, and are not kept locked for longer. */
  static final int RENEWED_TOGETHER = 500;

  private static final String FORCE_RELEASE = "SELECT holdfast.lease_force_release(?, ?, ?)";

  private LeaseVerbs() {}

  static SecondLook.Request<Hold, Boolean> release(PostgresSettings settings) {
    String sql = settings.sql(RELEASE);
    String sqlOrBusy = settings.sql(RELEASE.replace("lease_release(", "lease_release_or_busy("));
    return new SecondLook.Request<>() {
      @Override
      public void send(Connection connection, List<Line.Task<Hold, Boolean>> tasks)
          throws SQLException {
        release(connection, sql, tasks);
      }

      @Override
      public void sendOrBusy(Connection connection, List<Line.Task<Hold, Boolean>> tasks)
          throws SQLException {
        release(connection, sqlOrBusy, tasks);
      }
    };
  }

  private static void release(
      Connection connection, String sql, List<Line.Task<Hold, Boolean>> tasks) throws SQLException {
    List<Hold> holds = tasks.stream().map(Line.Task::request).toList();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Columns<>(statement, holds)
          .column("text", Hold::name)
          .column("text", hold -> hold.holder().toString());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          boolean held = row.getBoolean(2);
          if (!row.wasNull()) {
            tasks.get(row.getInt(1) - 1).answer().complete(held);
          }
        }
      }
    }
  }

  /** A hold that is asked for twice, because the first call was given up, is renewed once. */
  static Line.Verb<List<Hold>, List<Renewal>> renew(PostgresSettings settings) {
    String sql = settings.sql(RENEW);
    return (connection, tasks) -> {
      Map<Hold, Renewal> answers = new HashMap<>();
      List<Hold> holds =
          tasks.stream().flatMap(task -> task.request().stream()).distinct().toList();
      try {
        for (int from = 0; from < holds.size(); from += RENEWED_TOGETHER) {
          int to = Math.min(from + RENEWED_TOGETHER, holds.size());
          renew(connection, sql, holds.subList(from, to), answers);
        }
      } catch (SQLException failed) {
        if (!answers.isEmpty()) {
          answer(tasks, answers); // Some were renewed, and are not to be lost for the others.
        }
        throw failed;
      }
      answer(tasks, answers);
    };
  }

  private static void answer(
      List<Line.Task<List<Hold>, List<Renewal>>> tasks, Map<Hold, Renewal> answers) {
    for (Line.Task<List<Hold>, List<Renewal>> task : tasks) {
      task.answer()
          .complete(
              task.request().stream()
                  .map(hold -> answers.getOrDefault(hold, Renewal.UNKNOWN))
                  .toList());
    }
  }

  private static void renew(
      Connection connection, String sql, List<Hold> holds, Map<Hold, Renewal> answers)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Columns<>(statement, holds)
          .column("text", Hold::name)
          .column("text", hold -> hold.holder().toString())
          .column("int8", hold -> LeaseAcquire.micros(hold.leaseTime()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String outcome = row.getString(2);
          // Another transaction keeps its row: it is asked for again soon.
          answers.put(
              holds.get(row.getInt(1) - 1),
              outcome.equals("BUSY") ? Renewal.UNKNOWN : Renewal.valueOf(outcome));
        }
      }
    }
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
        try {
          task.answer().complete(forceRelease(connection, sql, task.request()));
        } catch (SQLException failed) {
          if (!Failures.isBusy(failed)) {
            throw failed;
          }
          task.answer().completeExceptionally(Failures.of(task.what(), failed, null));
        }
      }
    };
  }

  private static boolean forceRelease(Connection connection, String sql, Force force)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Columns<>(statement, List.of(force))
          .text(force.name())
          .number(force.token())
          .text(force.reason());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
