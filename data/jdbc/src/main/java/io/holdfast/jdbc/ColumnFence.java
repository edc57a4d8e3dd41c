// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The newest token is a column of the guarded row: no further table, on any database.
 *
 * <p>The row is locked first, by a statement that returns it as it was committed last, whatever the
 * transaction has seen before. A token that is compared by the transaction's own view of the row
 * may be compared with an old one.
 */
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
    if (key.equalsIgnoreCase(column)) {
      throw new IllegalArgumentException("the key and the token are different columns: " + key);
    }
  }

  @Override
  public String resource() {
    return table + " " + row;
  }

  @Override
  public void raise(Connection connection, FencingToken token, Duration idle) throws SQLException {
    boolean postgres = Postgres.is(connection);
    // In PostgreSQL the weaker lock, which an UPDATE takes: rows may refer to this one meanwhile.
    long newest = token(connection, postgres ? " FOR NO KEY UPDATE" : " FOR UPDATE");
    if (newest > token.value()) {
      throw new StaleTokenException(resource(), token, new FencingToken(newest));
    }
    if (postgres) {
      raiseInPostgres(connection, token, idle);
    } else {
      refuseOldView(connection, newest);
      raiseElsewhere(connection, token, newest);
    }
  }

  private long token(Connection connection, String locking) throws SQLException {
    String select = "SELECT %s FROM %s WHERE %s = ?".formatted(column, table, key);
    try (PreparedStatement statement = connection.prepareStatement(select + locking)) {
      statement.setObject(1, row);
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          throw unfit("there is no row to guard: " + resource(), null);
        }
        TokenColumn.check(found.getMetaData(), table, column);
        long token = found.getLong(1);
        if (found.wasNull()) {
          throw unfit(
              "there is no token in %s, whose column %s is null: make it NOT NULL, 0 where a row"
                      .formatted(resource(), column)
                  + " was never guarded",
              null);
        }
        if (found.next()) {
          throw unfit(
              "more than one row of %s has the %s %s: a guard needs a key that is unique"
                  .formatted(table, key, row),
              null);
        }
        return token;
      }
    }
  }

  /**
   * Always a new version of the row: transactions with an older view of it fail when they enter.
   */
  private void raiseInPostgres(Connection connection, FencingToken token, Duration idle)
      throws SQLException {
    String update =
        "UPDATE %s SET %s = ? WHERE %s = ? RETURNING xmin = %s, %s"
            .formatted(table, column, key, Postgres.TRANSACTION_ID, Postgres.END_WHEN_IDLE);
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setLong(1, token.value());
      statement.setObject(2, row);
      statement.setString(3, Postgres.millis(idle));
      try (ResultSet written = statement.executeQuery()) {
        if (!written.next()) {
          throw notRecorded();
        }
        Postgres.refuseSavepoint(written.getBoolean(1), resource());
      }
    }
  }

  /**
   * Refuses a transaction that has read before it entered and goes on to see what was there then,
   * if others have entered since. In PostgreSQL the statement that locks the row fails instead.
   */
  private void refuseOldView(Connection connection, long newest) throws SQLException {
    if (token(connection, "") != newest) {
      throw unfit(
          "this transaction has read before it entered the guard of '%s', and sees data from before"
                  .formatted(resource())
              + " the last entry: enter before the first read",
          SqlStates.SERIALIZATION_FAILURE);
    }
  }

  private void raiseElsewhere(Connection connection, FencingToken token, long newest)
      throws SQLException {
    String update = "UPDATE %s SET %s = ? WHERE %s = ?".formatted(table, column, key);
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setLong(1, token.value());
      statement.setObject(2, row);
      // A driver may count the rows that were changed rather than those that were found.
      if (statement.executeUpdate() == 0 && newest < token.value()) {
        throw notRecorded();
      }
    }
  }

  private SQLException notRecorded() {
    return unfit(
        "%s did not take the token into its column %s: something keeps it from being updated"
            .formatted(resource(), column),
        null);
  }

  private static SQLException unfit(String reason, @Nullable String state) {
    return new SQLException(reason, state);
  }

  /** Without a default, so that a row which is inserted again does not begin at 0 unnoticed. */
  @Override
  public String ddl() {
    return """
        ALTER TABLE %1$s ADD COLUMN %2$s BIGINT DEFAULT 0 NOT NULL;
        ALTER TABLE %1$s ALTER COLUMN %2$s DROP DEFAULT;
        """
        .formatted(table, column);
  }
}
