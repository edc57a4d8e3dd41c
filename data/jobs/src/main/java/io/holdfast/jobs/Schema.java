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

/**
 * The tables and functions of the queue: looked for at the start, and made or brought up to date if
 * that is allowed. A schema says which clients it serves, and serves those of the version before:
 * in a rolling upgrade the first new client migrates, and the old ones go on.
 */
final class Schema {
  static final String USUAL = "holdfast_jobs";

  /** What this client needs. The newest row of the table says it too. */
  private static final int VERSION = 2;

  /**
   * The schema that a database has.
   *
   * @param version 0 if there is none
   * @param oldestClient of which version a client has to be
   */
  private record Found(int version, int oldestClient) {}

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

  /** Refuses a server that is unfit; makes the schema if it is missing, and migrates an old one. */
  static void require(Database database, String name, boolean creates) throws SQLException {
    database.call(Schema::requireFitServer);
    Found found = database.call(connection -> find(connection, name));
    if (found.version < VERSION) {
      requireMigration(found, name, creates);
      database.call(connection -> migrate(connection, name));
      found = database.call(connection -> find(connection, name));
    }
    if (found.oldestClient > VERSION) {
      throw new UnfitDatabaseException(
          "the schema '%s' serves clients of version %d and newer, and this one has version %d: upgrade"
              .formatted(name, found.oldestClient, VERSION));
    }
  }

  private static void requireMigration(Found found, String name, boolean creates) {
    if (creates) {
      return;
    }
    throw new UnfitDatabaseException(
        found.version == 0
            ? "the schema '%s' is missing: run Jobs.schema(), or do not forbid to create it"
                .formatted(name)
            : "the schema '%s' has version %d, and this client needs version %d: run Jobs.schema()"
                .formatted(name, found.version, VERSION));
  }

  private static Found find(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean hasVersions = is(statement, "to_regclass('" + name + ".schema_version')");
      if (!hasVersions && !is(statement, "to_regprocedure('" + name + ".version()')")) {
        return new Found(0, 0);
      }
      String versions =
          "SELECT version, oldest_client FROM %s.schema_version ORDER BY version DESC LIMIT 1";
      String beforeVersions = "SELECT %s.version(), 1";
      try (ResultSet row =
          statement.executeQuery((hasVersions ? versions : beforeVersions).formatted(name))) {
        return row.next() ? new Found(row.getInt(1), row.getInt(2)) : new Found(0, 0);
      }
    }
  }

  private static boolean is(Statement statement, String what) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT " + what + " IS NOT NULL")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static boolean requireFitServer(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('server_version_num')::int,"
                    + " current_setting('server_encoding'), pg_is_in_recovery(),"
                    + " current_setting('transaction_isolation')")) {
      row.next();
      requireFit(row.getInt(1), row.getString(2), row.getBoolean(3), row.getString(4));
      return true;
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

  /** In one transaction, and one client at a time: those who come later find it done. */
  private static boolean migrate(Connection connection, String name) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Behind a table lock that waits, all requests wait: it does not wait for long.
      statement.execute("SET LOCAL lock_timeout = '20s'");
      statement.execute("SET LOCAL search_path = pg_catalog, pg_temp");
      statement.execute("SELECT pg_advisory_xact_lock(1212630083, 1)");
      statement.execute("SET LOCAL lock_timeout = '1s'");
      if (find(connection, name).version < VERSION) {
        statement.execute(script(name));
      }
      connection.commit();
    } catch (SQLException failed) {
      connection.rollback();
      throw failed;
    } finally {
      connection.setAutoCommit(true);
    }
    return true;
  }
}
