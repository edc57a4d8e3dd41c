// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.testkit.servers.PostgresServer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** One PostgreSQL server for all tests of this JVM. */
final class Databases {
  private static final PostgresServer POSTGRES = PostgresServer.start();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(POSTGRES::close));
  }

  private Databases() {}

  static DataSource postgres() {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(POSTGRES.jdbcUrl());
    return database;
  }
}
