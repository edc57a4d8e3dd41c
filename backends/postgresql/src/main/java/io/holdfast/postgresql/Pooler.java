// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Finds out whether a connection is a session. A pooler tells its clients a process id that is not
 * the server's; a pooler that gives each transaction another session shows it by two clients that
 * take turns: they share a session, or one of them changes it.
 */
final class Pooler {
  private static final int TURNS = 4;

  private Pooler() {}

  /** Whether nothing stands between us and the server. */
  static boolean isDirect(Connection connection) throws SQLException {
    return Connections.toldPid(connection) == pid(connection);
  }

  /**
   * Refuses a connection that is not a session.
   *
   * @param second another connection of the same kind
   */
  static void requireSession(Connection first, Connection second) throws SQLException {
    int own = pid(first);
    for (int turn = 0; turn < TURNS; turn++) {
      if (pid(second) == own || pid(first) != own) {
        throw refusal();
      }
    }
  }

  static BackendException refusal() {
    return BackendException.refused(
        "a transaction pooler stands before the server, and advisory locks belong to a session:"
            + " connect to the server itself or to a pool in session mode, or use mode=lease",
        null);
  }

  static int pid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
