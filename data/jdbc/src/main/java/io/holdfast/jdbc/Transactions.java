// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** One transaction, on a connection of its own. */
final class Transactions {
  private Transactions() {}

  static <T, X extends Exception> T call(DataSource dataSource, TransactionWork<T, X> work)
      throws SQLException, X {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      T value;
      try {
        value = work.in(connection);
        connection.commit();
      } catch (Throwable failed) {
        undo(connection, autoCommit, failed);
        throw failed;
      }
      connection.setAutoCommit(autoCommit);
      return value;
    }
  }

  /** What fails here is no news: the connection is broken, and the server rolls back by itself. */
  private static void undo(Connection connection, boolean autoCommit, Throwable failed) {
    try {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failed.addSuppressed(broken);
    }
  }
}
