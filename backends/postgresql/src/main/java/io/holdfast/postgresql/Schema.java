// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables and functions of Holdfast: looked for at the start, and made if that is allowed. */
final class Schema {
  private static final int VERSION = 3;

  private Schema() {}

  /** The script that makes the schema of this name. */
  static String script(String name) {
    try (InputStream script = Schema.class.getResourceAsStream("schema.sql")) {
      if (script == null) {
        throw new IllegalStateException("schema.sql is missing from this jar");
      }
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("holdfast.", name + ".")
          .replace("SCHEMA IF NOT EXISTS holdfast", "SCHEMA IF NOT EXISTS " + name)
          .replace("SCHEMA holdfast", "SCHEMA " + name);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Refuses a server that is unfit, and makes the schema if it is missing. */
  static void require(Connection connection, PostgresSettings settings) throws SQLException {
    boolean isThere;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('server_version_num')::int,"
                    + " current_setting('server_encoding'), pg_is_in_recovery(),"
                    + " to_regprocedure('"
                    + settings.sql("holdfast.version()")
                    + "') IS NOT NULL")) {
      row.next();
      requireFit(row.getInt(1), row.getString(2), row.getBoolean(3));
      isThere = row.getBoolean(4);
    }
    if (!isThere && !settings.creates()) {
      throw BackendException.refused(
          "the schema '"
              + settings.schema()
              + "' is missing: run PostgresBackend.schema(), or allow create=true",
          null);
    }
    if (!isThere) {
      create(connection, settings);
    }
    requireVersion(connection, settings);
  }

  private static void requireFit(int version, String encoding, boolean isStandby) {
    if (version < 140000) {
      throw BackendException.refused(
          "PostgreSQL 14 or newer is needed; this server says " + version, null);
    }
    if (!encoding.equals("UTF8")) {
      throw BackendException.refused(
          "the database has the encoding " + encoding + "; names of locks need UTF8", null);
    }
    if (isStandby) {
      throw BackendException.notApplied(
          "this server is a read-only standby: name the primary, or all servers with commas", null);
    }
  }

  /** In one transaction, and one client at a time: IF NOT EXISTS alone fails when two race. */
  private static void create(Connection connection, PostgresSettings settings) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(1212630083, 0)");
      statement.execute(script(settings.schema()));
      connection.commit();
    } catch (SQLException failed) {
      connection.rollback();
      throw failed;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private static void requireVersion(Connection connection, PostgresSettings settings)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(settings.sql("SELECT holdfast.version()"))) {
      row.next();
      if (row.getInt(1) != VERSION) {
        throw BackendException.refused(
            "the schema '"
                + settings.schema()
                + "' has version "
                + row.getInt(1)
                + ", and this client needs version "
                + VERSION
                + ": run PostgresBackend.schema() again",
            null);
      }
    }
  }
}
