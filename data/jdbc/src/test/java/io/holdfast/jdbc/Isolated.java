// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections with another isolation level. */
final class Isolated extends DelegatingDataSource {
  private final int level;

  Isolated(DataSource target, int level) {
    super(target);
    this.level = level;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    connection.setTransactionIsolation(level);
    return connection;
  }

  /** Until some transaction waits for another's row. */
  static void awaitLockWait(DataSource postgres) {
    Eventually.until(
        "somebody waits for a lock",
        () -> {
          try (Connection connection = postgres.getConnection();
              Statement statement = connection.createStatement();
              ResultSet found =
                  statement.executeQuery("SELECT count(*) FROM pg_locks WHERE NOT granted")) {
            found.next();
            return found.getInt(1) > 0;
          } catch (SQLException failed) {
            throw new AssertionError(failed);
          }
        });
  }
}
