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
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The tables and functions of Holdfast: looked for at the start, and made or brought up to date if
 * that is allowed.
 *
 * <p>A schema says which clients it serves, and serves those of the version before. So in a rolling
 * upgrade the first new client migrates, and the old ones go on.
 */
final class Schema {
  /** What this client needs. The newest row of the table says it too. */
  private static final int VERSION = 3;

  /** Version 1 was of no release, and had another key of its table. */
  private static final int OLDEST_THAT_IS_MIGRATED = 2;

  private static final Duration LONGEST_MIGRATION = Duration.ofSeconds(30);

  /**
   * The schema that a database has.
   *
   * @param version 0 if there is none
   * @param oldestClient of which version a client has to be
   */
  private record Found(int version, int oldestClient) {}

  private Schema() {}

  /** The script that makes the schema of this name, or brings it up to date. */
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

  /** Refuses a server that is unfit; makes the schema if it is missing, and migrates an old one. */
  static void require(Connection connection, PostgresSettings settings) throws SQLException {
    requireFitServer(connection);
    Found found = find(connection, settings);
    if (found.version < VERSION) {
      requireMigration(found, settings);
      migrate(connection, settings, found);
      found = find(connection, settings);
    }
    if (found.oldestClient > VERSION) {
      throw BackendException.refused(
          "the schema '%s' serves clients of version %d and newer, and this one has version %d: upgrade"
              .formatted(settings.schema(), found.oldestClient, VERSION),
          null);
    }
  }

  private static void requireFitServer(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('server_version_num')::int,"
                    + " current_setting('server_encoding'), pg_is_in_recovery()")) {
      row.next();
      requireFit(row.getInt(1), row.getString(2), row.getBoolean(3));
    }
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

  private static Found find(Connection connection, PostgresSettings settings) throws SQLException {
    String isThere =
        "SELECT to_regclass('holdfast.schema_version') IS NOT NULL,"
            + " to_regprocedure('holdfast.version()') IS NOT NULL";
    String versions =
        "SELECT version, oldest_client FROM holdfast.schema_version ORDER BY version DESC LIMIT 1";
    String beforeVersions = "SELECT holdfast.version(), holdfast.version()";
    try (Statement statement = connection.createStatement()) {
      boolean hasVersions;
      boolean isOld;
      try (ResultSet row = statement.executeQuery(settings.sql(isThere))) {
        row.next();
        hasVersions = row.getBoolean(1);
        isOld = row.getBoolean(2);
      }
      if (!hasVersions && !isOld) {
        return new Found(0, 0);
      }
      try (ResultSet row =
          statement.executeQuery(settings.sql(hasVersions ? versions : beforeVersions))) {
        return row.next() ? new Found(row.getInt(1), row.getInt(2)) : new Found(0, 0);
      }
    }
  }

  private static void requireMigration(Found found, PostgresSettings settings) {
    if (found.version == 0 && !settings.creates()) {
      throw BackendException.refused(
          "the schema '%s' is missing: run PostgresBackend.schema(), or allow create=true"
              .formatted(settings.schema()),
          null);
    }
    if (found.version > 0 && found.version < OLDEST_THAT_IS_MIGRATED) {
      throw tooOld(found, settings, "it cannot be migrated: drop it while no lock is held", null);
    }
    if (!settings.creates()) {
      String next = "run PostgresBackend.schema(), or allow create=true";
      throw tooOld(found, settings, next, null);
    }
  }

  /** The owner of an old schema is told what to do, rather than a user which right it lacks. */
  private static void requirePrivilege(
      Found found, PostgresSettings settings, SQLException failed) {
    if (found.version > 0 && "42501".equals(failed.getSQLState())) {
      String next = "this user may not change it: its owner runs PostgresBackend.schema()";
      throw tooOld(found, settings, next, failed);
    }
  }

  private static BackendException tooOld(
      Found found, PostgresSettings settings, String next, @Nullable Exception cause) {
    return BackendException.refused(
        "the schema '%s' has version %d, and this client needs version %d; %s"
            .formatted(settings.schema(), found.version, VERSION, next),
        cause);
  }

  /** In one transaction, and one client at a time: those who come later find it done. */
  private static void migrate(Connection connection, PostgresSettings settings, Found found)
      throws SQLException {
    int patience = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, (int) LONGEST_MIGRATION.toMillis());
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Behind a table lock that waits, all requests wait: it does not wait for long.
      statement.execute("SET LOCAL lock_timeout = '10s'");
      statement.execute("SET LOCAL search_path = pg_catalog, pg_temp");
      statement.execute("SELECT pg_advisory_xact_lock(1212630083, 0)");
      statement.execute("SET LOCAL lock_timeout = '1s'");
      if (find(connection, settings).version < VERSION) {
        statement.execute(script(settings.schema()));
      }
      connection.commit();
    } catch (SQLException failed) {
      connection.rollback();
      requirePrivilege(found, settings, failed);
      throw failed;
    } finally {
      connection.setAutoCommit(true);
      connection.setNetworkTimeout(Runnable::run, patience);
    }
  }
}
