// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** What PostgreSQL can do and others cannot. */
final class Postgres {
  /** For this transaction alone: the connection may come from a pool. */
  static final String END_WHEN_IDLE = "set_config('idle_in_transaction_session_timeout', ?, true)";

  /**
   * Of the transaction itself. What is written while a savepoint is open bears another, by which it
   * would be undone together with the savepoint.
   */
  static final String TRANSACTION_ID = "pg_current_xact_id()::xid";

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

  /** Refuses an entry that ROLLBACK TO SAVEPOINT would undo while the transaction goes on. */
  static void refuseSavepoint(boolean isOutside, String resource) {
    if (!isOutside) {
      throw new IllegalStateException(
          "the guard of '%s' was entered after a savepoint, and would be left by a rollback to it:"
                  .formatted(resource)
              + " enter first (a nested transaction of Spring and the driver's autosave make"
              + " savepoints)");
    }
  }

  static String millis(Duration time) {
    return time.toMillis() + "ms";
  }
}
