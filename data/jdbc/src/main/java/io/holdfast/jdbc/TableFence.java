// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The newest token of a resource is a row of a table of its own. PostgreSQL. */
final class TableFence implements Fence {
  static final String TABLE = "holdfast.fence";

  private final String resource;
  private final boolean forTriggers;

  /**
   * @param forTriggers whether triggers look for the token in a setting of the transaction
   */
  TableFence(String resource, boolean forTriggers) {
    if (resource.isBlank()) {
      throw new IllegalArgumentException("a guarded resource has a name");
    }
    this.resource = resource;
    this.forTriggers = forTriggers;
  }

  @Override
  public String resource() {
    return resource;
  }

  @Override
  public void raise(Connection connection, FencingToken token, Duration idle) throws SQLException {
    Postgres.require(connection, forTriggers ? "trigger" : "side table");
    if (!raised(connection, token, idle)) {
      throw new StaleTokenException(resource, token, newest(connection));
    }
  }

  /** One round trip: the settings are made where the row is written. */
  private boolean raised(Connection connection, FencingToken token, Duration idle)
      throws SQLException {
    String insert =
        """
        INSERT INTO %s AS fence (resource, token) VALUES (?, ?)
        ON CONFLICT (resource) DO UPDATE SET token = excluded.token
        WHERE fence.token <= excluded.token
        RETURNING fence.xmin = %s, %s"""
            .formatted(TABLE, Postgres.TRANSACTION_ID, Postgres.END_WHEN_IDLE);
    String present = ", set_config('holdfast.fence_' || md5(?), ?, true)";
    try (PreparedStatement statement =
        connection.prepareStatement(forTriggers ? insert + present : insert)) {
      statement.setString(1, resource);
      statement.setLong(2, token.value());
      statement.setString(3, Postgres.millis(idle));
      if (forTriggers) {
        statement.setString(4, resource);
        statement.setString(5, token.toString());
      }
      try (ResultSet written = statement.executeQuery()) {
        if (!written.next()) {
          return false;
        }
        Postgres.refuseSavepoint(written.getBoolean(1), resource);
        return true;
      }
    }
  }

  private FencingToken newest(Connection connection) throws SQLException {
    String select = "SELECT token FROM %s WHERE resource = ?".formatted(TABLE);
    try (PreparedStatement statement = connection.prepareStatement(select)) {
      statement.setString(1, resource);
      try (ResultSet found = statement.executeQuery()) {
        found.next();
        return new FencingToken(found.getLong(1));
      }
    }
  }

  @Override
  public String ddl() {
    return Resources.text("fence.sql");
  }
}
