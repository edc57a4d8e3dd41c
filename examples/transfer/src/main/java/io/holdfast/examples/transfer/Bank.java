// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.transfer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Two accounts, and what programs do with them: read, compute, write. */
public final class Bank {
  /** Accounts 1 and 2, with 100 each. */
  public static final String DDL =
      """
      CREATE TABLE account (
        id bigint PRIMARY KEY,
        balance bigint NOT NULL,
        fence bigint NOT NULL DEFAULT 0);
      INSERT INTO account (id, balance) VALUES (1, 100), (2, 100);
      """;

  private Bank() {}

  /** What both accounts had when they were read. */
  public record Balances(long from, long to) {}

  /** Reads both balances. */
  public static Balances read(Connection connection) throws SQLException {
    return new Balances(balance(connection, 1), balance(connection, 2));
  }

  /** Moves money from account 1 to account 2, by what was read before. */
  public static void write(Connection connection, Balances read, long amount) throws SQLException {
    set(connection, 1, read.from() - amount);
    set(connection, 2, read.to() + amount);
  }

  private static long balance(Connection connection, long account) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      statement.setLong(1, account);
      try (ResultSet found = statement.executeQuery()) {
        found.next();
        return found.getLong(1);
      }
    }
  }

  private static void set(Connection connection, long account, long balance) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      statement.setLong(1, balance);
      statement.setLong(2, account);
      statement.executeUpdate();
    }
  }
}
