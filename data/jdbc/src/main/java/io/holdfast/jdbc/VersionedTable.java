// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A table whose rows have a version, which grows with each change. Read it together with the row,
 * and have it advanced in the transaction that changes the row.
 *
 * @param table the table
 * @param key the column that tells which row
 * @param version the column that counts changes: BIGINT, not null
 */
public record VersionedTable(String table, String key, String version) {

  public VersionedTable {
    Names.checked(table, "a table");
    Names.checked(key, "a column");
    Names.checked(version, "a column");
  }

  /** The version of a row now; to be read before, or with, what the change depends on. */
  public long versionOf(Connection connection, Object row) throws SQLException {
    String select = "SELECT %s FROM %s WHERE %s = ?".formatted(version, table, key);
    try (PreparedStatement statement = connection.prepareStatement(select)) {
      statement.setObject(1, row);
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          throw new SQLException("there is no row %s in %s".formatted(row, table));
        }
        return found.getLong(1);
      }
    }
  }

  /**
   * Moves a row on from the version that was read.
   *
   * @throws VersionConflictException if it has moved on already, or is gone
   */
  public void advance(Connection connection, Object row, long read) throws SQLException {
    String update =
        "UPDATE %s SET %s = %s + 1 WHERE %s = ? AND %s = ?"
            .formatted(table, version, version, key, version);
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setObject(1, row);
      statement.setLong(2, read);
      if (statement.executeUpdate() == 0) {
        throw new VersionConflictException(
            "row %s of %s is not at version %d any more".formatted(row, table, read));
      }
    }
  }
}
