// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.mariadb.jdbc.MariaDbDataSource;

/** The guard with a column needs nothing of PostgreSQL. */
class OtherDatabasesTest {

  private static DataSource h2() {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return database;
  }

  abstract static class WithColumn extends GuardCases {
    @Override
    FencingGuard guard() {
      return FencingGuard.column("account", "id", "fence", 1L);
    }
  }

  @Nested
  @Tag("h2")
  class H2 extends WithColumn {
    private final DataSource database = h2();

    @Override
    DataSource database() {
      return database;
    }
  }

  @Nested
  @Tag("mariadb")
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class MariaDb extends WithColumn {
    private MariaDbServer server;

    @BeforeAll
    void start() {
      server = MariaDbServer.start();
    }

    @AfterAll
    void stop() {
      server.close();
    }

    @Override
    DataSource database() {
      try {
        return new MariaDbDataSource(server.jdbcUrl());
      } catch (SQLException failed) {
        throw new AssertionError(failed);
      }
    }
  }

  @Test
  @Tag("h2")
  void the_other_guards_say_that_they_need_postgresql() {
    assertThatThrownBy(
            () ->
                FencingGuard.table("account/1")
                    .in(h2())
                    .with(new FencingToken(1))
                    .call(connection -> Accounts.add(connection, 1)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("FencingGuard.column");
  }
}
