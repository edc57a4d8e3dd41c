// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The three strengths on PostgreSQL. */
@Tag("postgresql")
class PostgresGuardsTest {

  abstract static class OnPostgres extends PausedHolderCases {
    @Override
    DataSource database() {
      return Databases.postgres();
    }
  }

  @Nested
  class Column extends OnPostgres {
    @Override
    FencingGuard guard() {
      return FencingGuard.column("account", "id", "fence", 1L);
    }
  }

  @Nested
  class SideTable extends OnPostgres {
    @Override
    FencingGuard guard() {
      return FencingGuard.table("account/1");
    }

    @Override
    void prepare(DataSource fresh) throws SQLException {
      Accounts.run(fresh, "DROP SCHEMA IF EXISTS holdfast CASCADE");
      Accounts.run(fresh, guard().ddl());
      Accounts.run(fresh, guard().ddl());
    }
  }

  @Nested
  class Triggers extends OnPostgres {
    @Override
    FencingGuard guard() {
      return FencingGuard.trigger("account/1");
    }

    @Override
    void prepare(DataSource fresh) throws SQLException {
      Accounts.run(fresh, "DROP SCHEMA IF EXISTS holdfast CASCADE");
      Accounts.run(fresh, FencingGuard.triggerDdl("account/1", "account"));
    }
  }
}
