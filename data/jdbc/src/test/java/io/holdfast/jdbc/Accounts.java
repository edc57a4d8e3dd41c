// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The data that tests guard: account 1, which has a fence and a version. */
final class Accounts {
  private Accounts() {}

  static void create(DataSource database) throws SQLException {
    run(database, "DROP TABLE IF EXISTS account");
    run(
        database,
        "CREATE TABLE account (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL,"
            + " fence BIGINT DEFAULT 0 NOT NULL, version BIGINT DEFAULT 0 NOT NULL)");
    run(database, "INSERT INTO account (id, balance) VALUES (1, 0), (2, 0)");
  }

  static void run(DataSource database, String statements) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(statements);
    }
  }

  /** Reads and writes, as a program does that computes in between. */
  static long add(Connection connection, long amount) throws SQLException {
    long balance = balance(connection) + amount;
    set(connection, balance);
    return balance;
  }

  static void set(Connection connection, long balance) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE account SET balance = " + balance + " WHERE id = 1");
    }
  }

  static long balance(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      found.next();
      return found.getLong(1);
    }
  }

  static long balance(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return balance(connection);
    }
  }
}
