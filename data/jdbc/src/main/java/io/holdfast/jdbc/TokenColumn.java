// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/** Whether a column can keep every token exactly: one that rounds or clips them lets all pass. */
final class TokenColumn {
  private static final int DIGITS = 19;

  private TokenColumn() {}

  static void check(ResultSetMetaData found, String table, String column) throws SQLException {
    boolean keepsAll =
        switch (found.getColumnType(1)) {
          case Types.BIGINT -> true;
          case Types.DECIMAL, Types.NUMERIC ->
              found.getPrecision(1) >= DIGITS && found.getScale(1) == 0;
          default -> false;
        };
    if (!keepsAll) {
      throw new SQLException(
          "the column %s of %s is of the type %s, which cannot keep every token: make it BIGINT"
              .formatted(column, table, found.getColumnTypeName(1)));
    }
  }
}
