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
    try (Connection connection = source.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      int before = connection.getNetworkTimeout();
      connection.setAutoCommit(true);
      // A server that is silent must not silence us: the driver gives the connection up.
      connection.setNetworkTimeout(Runnable::run, timeoutMillis);
      T value = work.on(connection);
      connection.setNetworkTimeout(Runnable::run, before);
      connection.setAutoCommit(autoCommit);
      return value;
    }
  }

  /** One that is kept for long, and closed by whoever asks for it. */
  Connection connection() throws SQLException {
    return source.getConnection();
  }
}
