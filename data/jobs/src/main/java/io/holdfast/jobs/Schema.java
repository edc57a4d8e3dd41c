// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables and functions of the queue: looked for at the start, and made if that is allowed. */
final class Schema {
  static final String USUAL = "holdfast_jobs";
  private static final int VERSION = 1;

  private Schema() {}

  static String script(String name) {
    try (InputStream script = Schema.class.getResourceAsStream("schema.sql")) {
      if (script == null) {
        throw new IllegalStateException("schema.sql is missing from this jar");
      }
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return text.replace(USUAL, Names.schema(name));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Refuses a server that is unfit, and makes the schema if it is missing. */
  static void require(Database database, String name, boolean creates) throws SQLException {
    boolean isThere = database.call(connection -> isThere(connection, name));
    if (!isThere && !creates) {
      throw new UnfitDatabaseException(
          "the schema '%s' is missing: run Jobs.schema(), or do not forbid to create it"
              .formatted(name));
    }
    if (!isThere) {
      database.call(connection -> create(connection, name));
    }
    int version = database.call(connection -> version(connection, name));
    if (version != VERSION) {
      throw new UnfitDatabaseException(
          "the schema '%s' has version %d, and this is a client of version %d"
              .formatted(name, version, VERSION));
    }
  }

  private static boolean isThere(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('server_version_num')::int,"
                    + " current_setting('server_encoding'), pg_is_in_recovery(),"
                    + " current_setting('transaction_isolation'),"
                    + " EXISTS (SELECT FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace"
                    + " WHERE proname = 'version' AND nspname = '"
                    + name
                    + "')")) {
      row.next();
      requireFit(row.getInt(1), row.getString(2), row.getBoolean(3), row.getString(4));
      return row.getBoolean(5);
    }
  }

  private static void requireFit(
      int version, String encoding, boolean isStandby, String isolation) {
    if (version < 140000) {
      throw new UnfitDatabaseException("PostgreSQL 14 or newer is needed, not " + version);
    }
    if (!encoding.equals("UTF8")) {
      throw new UnfitDatabaseException(
          "the database has the encoding " + encoding + "; payloads need UTF8");
    }
    if (isStandby) {
      throw new UnfitDatabaseException("this server is a read-only standby: name the primary");
    }
    // Above it, workers would not skip each other's jobs but fail on them.
    if (!isolation.equals("read committed")) {
      throw new UnfitDatabaseException(
          "connections of the queue are READ COMMITTED, not %s: set it in the pool"
              .formatted(isolation));
    }
  }

  /** In one transaction, and one client at a time: IF NOT EXISTS alone fails when two race. */
  private static boolean create(Connection connection, String name) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(1212630083, 1)");
      statement.execute(script(name));
      connection.commit();
    } catch (SQLException failed) {
      connection.rollback();
      throw failed;
    } finally {
      connection.setAutoCommit(true);
    }
    return true;
  }

  private static int version(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + name + ".version()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
