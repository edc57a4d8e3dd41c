// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;

/** A client of version 2, in lease mode: the statements that it sends. */
final class PreviousClient implements AutoCloseable {
  private static final int VERSION = 2;

  private static final String ACQUIRE =
      """
      SELECT asked.n, done.outcome, done.granted_token, done.granted_passes,
             (extract(epoch FROM done.recheck) * 1000000)::bigint, done.other_capacity,
             (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
      FROM (SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY
              AS each(name, holder, weight, capacity, lease, patience, passes, purpose, n)
            ORDER BY hashtext(name), n OFFSET 0) AS asked
      CROSS JOIN LATERAL holdfast.lease_acquire(
        asked.name, asked.holder, asked.weight, asked.capacity,
        asked.lease * interval '1 microsecond', asked.patience * interval '1 microsecond',
        asked.passes, clock_timestamp() + interval '1 minute', NULL, 'previous', 'host', 1, 'test',
        asked.purpose) AS done
      """;

  private static final String RENEW =
      """
      WITH asked AS MATERIALIZED (
        SELECT * FROM unnest(?, ?, ?) WITH ORDINALITY AS each(name, holder, lease, n)),
      alive AS MATERIALIZED (
        SELECT lease.name, lease.holder FROM holdfast.lease
        WHERE (lease.name, lease.holder) IN (SELECT name, holder FROM asked)
          AND state = 1 AND until > clock_timestamp()
        ORDER BY hashtext(lease.name), lease.holder FOR NO KEY UPDATE),
      renewed AS (
        UPDATE holdfast.lease
        SET until = clock_timestamp() + asked.lease * interval '1 microsecond'
        FROM alive JOIN asked USING (name, holder)
        WHERE lease.name = alive.name AND lease.holder = alive.holder
        RETURNING lease.name, lease.holder)
      SELECT count(*) FROM renewed
      """;

  private static final String RELEASE =
      """
      SELECT n, holdfast.lease_release(name, holder)
      FROM (SELECT * FROM unnest(?, ?) WITH ORDINALITY AS each(name, holder, n)
            ORDER BY hashtext(name), n OFFSET 0) AS leaving
      """;

  private final Connection connection;

  /** Looks whether the schema is its own, as that client does. */
  PreviousClient(Connection connection) throws SQLException {
    this.connection = connection;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT holdfast.version()")) {
      row.next();
      if (row.getInt(1) != VERSION) {
        throw new IllegalStateException("the schema has version " + row.getInt(1));
      }
    }
  }

  /** The script that this client makes its schema with. */
  static String schema() {
    try (InputStream script = PreviousClient.class.getResourceAsStream("previous-schema.sql")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The token; empty if it waits. */
  OptionalLong acquire(String name, String holder) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ACQUIRE)) {
      array(statement, 1, "text", name);
      array(statement, 2, "text", holder);
      array(statement, 3, "int8", Weights.LOCK);
      array(statement, 4, "int8", Weights.LOCK);
      array(statement, 5, "int8", 60_000_000L);
      array(statement, 6, "int8", 60_000_000L);
      array(statement, 7, "int4", 0);
      array(statement, 8, "text", "a test");
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(2).equals("granted")
            ? OptionalLong.of(row.getLong(3))
            : OptionalLong.empty();
      }
    }
  }

  boolean renew(String name, String holder) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
      array(statement, 1, "text", name);
      array(statement, 2, "text", holder);
      array(statement, 3, "int8", 60_000_000L);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1) == 1;
      }
    }
  }

  boolean release(String name, String holder) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RELEASE)) {
      array(statement, 1, "text", name);
      array(statement, 2, "text", holder);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(2);
      }
    }
  }

  private void array(PreparedStatement statement, int index, String type, Object value)
      throws SQLException {
    statement.setArray(index, connection.createArrayOf(type, new Object[] {value}));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
