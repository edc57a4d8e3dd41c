// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guard with a column needs nothing of PostgreSQL. */
class OtherDatabasesTest {

  abstract static class WithColumn extends GuardCases {
    @Override
    FencingGuard guard() {
      return FencingGuard.column("account", "id", "fence", 1L);
    }
  }

  @Nested
  @Tag("h2")
  class H2 extends WithColumn {
    private final DataSource database = Databases.h2();

    @Override
    DataSource database() {
      return database;
    }
  }

  @Nested
  @Tag("mariadb")
  class MariaDb extends WithColumn {
    @Override
    DataSource database() {
      return Databases.mariaDb();
    }
  }

  @Test
  @Tag("h2")
  void the_other_guards_say_that_they_need_postgresql() {
    assertThatThrownBy(
            () ->
                FencingGuard.table("account/1")
                    .in(Databases.h2())
                    .with(new FencingToken(1))
                    .call(connection -> Accounts.add(connection, 1)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("FencingGuard.column");
  }
}
