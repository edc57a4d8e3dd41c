// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** What PostgreSQL can do and others cannot. */
final class Postgres {
  /** For this transaction alone: the connection may come from a pool. */
  static final String END_WHEN_IDLE = "set_config('idle_in_transaction_session_timeout', ?, true)";

  private Postgres() {}

  static boolean is(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
  }

  static void require(Connection connection, String guard) throws SQLException {
    if (!is(connection)) {
      throw new SQLException(
          "a guard with a %s works on PostgreSQL only, not on %s: use FencingGuard.column"
              .formatted(guard, connection.getMetaData().getDatabaseProductName()));
    }
  }

  static void endWhenIdle(Connection connection, Duration idle) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT " + END_WHEN_IDLE)) {
      statement.setString(1, millis(idle));
      statement.execute();
    }
  }

  static String millis(Duration time) {
    return time.toMillis() + "ms";
  }
}
