// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** One statement at a time, each a transaction of its own, on a connection that is borrowed. */
final class Database {
  private final DataSource source;
  private final int timeoutMillis;

  /**
   * @param timeout for how long an answer is waited for
   */
  Database(DataSource source, Duration timeout) {
    this.source = source;
    this.timeoutMillis = (int) Math.max(1, Math.min(timeout.toMillis(), Integer.MAX_VALUE));
  }

  @FunctionalInterface
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  Database within(Duration timeout) {
    return new Database(source, timeout);
  }

  <T> T call(Work<T> work) throws SQLException {
    try (Connection connection = connection()) {
      boolean autoCommit = connection.getAutoCommit();
      int before = connection.getNetworkTimeout();
      try {
        connection.setAutoCommit(true);
        // A server that is silent must not silence us: the driver gives the connection up.
        connection.setNetworkTimeout(Runnable::run, timeoutMillis);
        T value = work.on(connection);
        restore(connection, autoCommit, before);
        return value;
      } catch (SQLException | RuntimeException | Error failed) {
        restoreIfItWorks(connection, autoCommit, before);
        throw failed;
      }
    }
  }

  private static void restore(Connection connection, boolean autoCommit, int timeout)
      throws SQLException {
    connection.setNetworkTimeout(Runnable::run, timeout);
    connection.setAutoCommit(autoCommit);
  }

  private static void restoreIfItWorks(Connection connection, boolean autoCommit, int timeout) {
    try {
      restore(connection, autoCommit, timeout);
    } catch (SQLException | RuntimeException | Error broken) {
      // The pool finds out.
    }
  }

  /** Fails with nothing but {@link SQLException}, whatever the data source is made of. */
  Connection connection() throws SQLException {
    try {
      return source.getConnection();
    } catch (RuntimeException failed) {
      throw new SQLException("the data source gave no connection", failed);
    }
  }
}
