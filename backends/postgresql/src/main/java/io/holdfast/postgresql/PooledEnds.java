// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Connections for a line that needs no session: a pool has them back after each statement. */
record PooledEnds(Connections connections, Duration timeout) implements Line.Ends {
  private static final int SECONDS_TO_ANSWER = 1;

  @Override
  public Connection open() throws SQLException {
    return connections.open(timeout);
  }

  @Override
  public void giveBack(Connection connection) throws SQLException {
    connection.close();
  }

  @Override
  public void broken(Connection connection) {
    if (connections.arePooled()) {
      try {
        connection.close(); // A pool sees for itself whether it can be used again.
      } catch (SQLException | RuntimeException broken) {
        // It is what we want.
      }
    } else {
      Connections.abandon(connection);
    }
  }

  @Override
  public boolean isShared() {
    return connections.arePooled();
  }

  @Override
  public boolean isAlive(Connection connection, Duration idle) {
    try {
      return idle.compareTo(LineConnection.LONG_IDLE) < 0 || connection.isValid(SECONDS_TO_ANSWER);
    } catch (SQLException | RuntimeException broken) {
      return false;
    }
  }

  @Override
  public @Nullable Duration ownTimeout() {
    return null;
  }
}
