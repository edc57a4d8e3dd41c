// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** The parameters of a statement that carries many requests: one array for each column. */
final class Columns<Q> {
  private final PreparedStatement statement;
  private final List<Q> requests;
  private int index;

  Columns(PreparedStatement statement, List<Q> requests) throws SQLException {
    this.statement = statement;
    this.requests = requests;
    // A named statement belongs to a session, and behind a pooler there is none.
    statement.unwrap(PGStatement.class).setPrepareThreshold(0);
  }

  /** Statements of a session of our own are prepared once, and planned once. */
  Columns<Q> prepared() throws SQLException {
    statement.unwrap(PGStatement.class).setPrepareThreshold(3);
    return this;
  }

  Columns<Q> column(String type, Function<Q, @Nullable Object> value) throws SQLException {
    Object[] values = requests.stream().map(value).toArray();
    index++;
    statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    return this;
  }

  Columns<Q> text(@Nullable String value) throws SQLException {
    index++;
    if (value == null) {
      statement.setNull(index, Types.VARCHAR);
    } else {
      statement.setString(index, value);
    }
    return this;
  }

  Columns<Q> number(long value) throws SQLException {
    index++;
    statement.setLong(index, value);
    return this;
  }
}
