// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.FencingToken;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.Origin;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Inspect and list. Both modes select the same columns: name, holder, weight, capacity, token (null
 * while it waits), microseconds left, microseconds since, process, host, pid, application, purpose.
 */
final class Look {
  /**
   * What to look for.
   *
   * @param name a lock's name, or with what it begins
   * @param limit how many locks at most; zero: the one lock of this name
   */
  record Request(String name, int limit) {}

  private Look() {}

  /**
   * A verb that looks.
   *
   * @param columns the statement, with {@code %s} in place of the names to look for
   * @param names which of the names that begin with a prefix there are: two prefixes and a limit
   */
  static Line.Verb<Request, List<LockState>> verb(String columns, String names) {
    String one = columns.formatted("?::text");
    String many = columns.formatted(names);
    return new Line.Verb<>() {
      @Override
      public void carryOut(Connection connection, List<Line.Task<Request, List<LockState>>> tasks)
          throws SQLException {
        for (Line.Task<Request, List<LockState>> task : tasks) {
          boolean isOne = task.request().limit() == 0;
          task.answer().complete(look(connection, isOne ? one : many, task.request()));
        }
      }

      @Override
      public boolean isRepeatable() {
        return true;
      }
    };
  }

  private static List<LockState> look(Connection connection, String sql, Request request)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Columns<Request> parameters = new Columns<>(statement, List.of(request));
      parameters.text(request.name());
      if (request.limit() > 0) {
        parameters.text(request.name()).number(request.limit());
      }
      try (ResultSet row = statement.executeQuery()) {
        return states(row);
      }
    }
  }

  private static List<LockState> states(ResultSet row) throws SQLException {
    Map<String, List<LockState.Holding>> holders = new LinkedHashMap<>();
    Map<String, List<LockState.Waiting>> waiters = new LinkedHashMap<>();
    while (row.next()) {
      String name = row.getString(1);
      holders.computeIfAbsent(name, unused -> new ArrayList<>());
      waiters.computeIfAbsent(name, unused -> new ArrayList<>());
      if (row.getObject(5) != null) {
        holders.get(name).add(holding(row));
      } else {
        waiters.get(name).add(waiting(row));
      }
    }
    return holders.entrySet().stream()
        .map(
            entry ->
                new LockState(
                    entry.getKey(),
                    entry.getValue(),
                    waiters.getOrDefault(entry.getKey(), List.of())))
        .toList();
  }

  private static LockState.Holding holding(ResultSet row) throws SQLException {
    return new LockState.Holding(
        row.getString(2),
        mode(row),
        Optional.of(new FencingToken(row.getLong(5))),
        Duration.ofNanos(Math.max(1, row.getLong(6)) * 1000),
        Optional.of(Duration.ofNanos(Math.max(0, row.getLong(7)) * 1000)),
        Optional.of(origin(row)),
        Optional.ofNullable(row.getString(12)));
  }

  private static LockState.Waiting waiting(ResultSet row) throws SQLException {
    return new LockState.Waiting(
        row.getString(2),
        mode(row),
        Optional.of(origin(row)),
        Optional.ofNullable(row.getString(12)));
  }

  private static Mode mode(ResultSet row) throws SQLException {
    return Weights.mode(row.getLong(3), row.getLong(4));
  }

  private static Origin origin(ResultSet row) throws SQLException {
    return new Origin(row.getString(8), row.getString(9), row.getLong(10), row.getString(11));
  }
}
