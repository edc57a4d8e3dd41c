// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.testkit.servers.PostgresServer;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** One server of each kind for all tests of this JVM, started when it is first asked for. */
final class Databases {
  private Databases() {}

  static DataSource postgres() {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(Postgres.SERVER.jdbcUrl());
    return database;
  }

  static DataSource mariaDb() {
    try {
      return new MariaDbDataSource(MariaDb.SERVER.jdbcUrl());
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  /** A database of its own for each call. */
  static DataSource h2() {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
    return database;
  }

  private static <S extends AutoCloseable> S untilExit(S server) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    server.close();
                  } catch (Exception left) {
                    throw new AssertionError(left);
                  }
                }));
    return server;
  }

  private static final class Postgres {
    static final PostgresServer SERVER = untilExit(PostgresServer.start());
  }

  private static final class MariaDb {
    static final MariaDbServer SERVER = untilExit(MariaDbServer.start());
  }
}
