// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The newest token is a column of the guarded row: no further table, on any database. */
final class ColumnFence implements Fence {
  private final String table;
  private final String key;
  private final String column;
  private final Object row;

  ColumnFence(String table, String key, String column, Object row) {
    this.table = Names.checked(table, "a table");
    this.key = Names.checked(key, "a column");
    this.column = Names.checked(column, "a column");
    this.row = row;
  }

  @Override
  public String resource() {
    return table + " " + row;
  }

  @Override
  public void raise(Connection connection, FencingToken token, Duration idle) throws SQLException {
    if (!raised(connection, token)) {
      FencingToken newest = newest(connection);
      // A driver may count the rows that were changed rather than those that were found.
      if (newest.isNewerThan(token)) {
        throw new StaleTokenException(resource(), token, newest);
      }
    }
    if (Postgres.is(connection)) {
      Postgres.endWhenIdle(connection, idle);
    }
  }

  private boolean raised(Connection connection, FencingToken token) throws SQLException {
    String update = "UPDATE %s SET %s = ? WHERE %s = ? AND %s <= ?";
    try (PreparedStatement statement =
        connection.prepareStatement(update.formatted(table, column, key, column))) {
      statement.setLong(1, token.value());
      statement.setObject(2, row);
      statement.setLong(3, token.value());
      return statement.executeUpdate() > 0;
    }
  }

  private FencingToken newest(Connection connection) throws SQLException {
    String select = "SELECT %s FROM %s WHERE %s = ?".formatted(column, table, key);
    try (PreparedStatement statement = connection.prepareStatement(select)) {
      statement.setObject(1, row);
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          throw new SQLException("there is no row to guard: " + resource());
        }
        return new FencingToken(Math.max(1, found.getLong(1)));
      }
    }
  }

  @Override
  public String ddl() {
    return "ALTER TABLE %s ADD COLUMN %s BIGINT DEFAULT 0 NOT NULL;%n".formatted(table, column);
  }
}
