// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.LockException;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a guard with a column refuses because it could not keep its promise. */
class ColumnGuardTest {
  private static final FencingGuard GUARD = FencingGuard.column("account", "id", "fence", 1L);

  abstract static class Cases {
    private DataSource database;

    abstract DataSource database();

    @BeforeEach
    void create() throws SQLException {
      database = database();
      Accounts.create(database);
    }

    private void pay(long token, long amount) throws SQLException {
      GUARD
          .in(database)
          .with(new FencingToken(token))
          .call(connection -> Accounts.add(connection, amount));
    }

    /** A transaction reads, others pay in the meantime, and it enters after all. */
    private void assertRefusedAfterReading(long token, Class<? extends Exception> type)
        throws SQLException {
      DataSource repeatable = new Isolated(database, Connection.TRANSACTION_REPEATABLE_READ);
      try (Connection early = repeatable.getConnection()) {
        early.setAutoCommit(false);
        assertThat(Accounts.balance(early)).isZero();
        pay(6, 100);
        assertThatThrownBy(() -> GUARD.enter(early, new FencingToken(token))).isInstanceOf(type);
        early.rollback();
      }
      assertThat(Accounts.balance(database)).isEqualTo(100);
    }

    /** Mostly a serialization failure of the database's own. */
    Class<? extends Exception> refusalOfOlderView() {
      return SQLException.class;
    }

    @Test
    void an_older_token_does_not_pass_by_an_older_view_of_the_row() throws SQLException {
      assertRefusedAfterReading(5, refusalOfOlderView());
    }

    @Test
    void a_newer_token_does_not_pass_with_a_view_from_before_the_last_entry() throws SQLException {
      assertRefusedAfterReading(7, SQLException.class);
    }

    private void assertRefused(String reason, ThrowingCallable entry) throws SQLException {
      assertThatThrownBy(entry).isInstanceOf(SQLException.class).hasMessageContaining(reason);
      assertThat(Accounts.balance(database)).isZero();
    }

    @Test
    void a_row_without_a_token_is_refused() throws SQLException {
      Accounts.run(database, "ALTER TABLE account DROP COLUMN fence");
      Accounts.run(database, "ALTER TABLE account ADD COLUMN fence BIGINT");
      assertRefused("is null", () -> pay(5, 1));
    }

    @Test
    void a_table_without_the_column_is_refused() throws SQLException {
      Accounts.run(database, "ALTER TABLE account DROP COLUMN fence");
      assertRefused("", () -> pay(5, 1));
    }

    @Test
    void a_column_that_is_too_narrow_for_tokens_is_refused() throws SQLException {
      Accounts.run(database, "ALTER TABLE account DROP COLUMN fence");
      Accounts.run(database, "ALTER TABLE account ADD COLUMN fence DOUBLE PRECISION DEFAULT 0");
      assertRefused("BIGINT", () -> pay(5, 1));
    }

    @Test
    void a_key_that_several_rows_have_is_refused() throws SQLException {
      Accounts.run(database, "UPDATE account SET fence = 9 WHERE id = 2");
      FencingGuard ambiguous = FencingGuard.column("account", "balance", "fence", 0L);
      assertRefused(
          "more than one row",
          () ->
              ambiguous
                  .in(database)
                  .with(new FencingToken(5))
                  .call(connection -> Accounts.add(connection, 1)));
    }

    @Test
    void a_row_that_is_not_there_is_refused() throws SQLException {
      FencingGuard nowhere = FencingGuard.column("account", "id", "fence", 17L);
      assertRefused(
          "no row to guard",
          () ->
              nowhere
                  .in(database)
                  .with(new FencingToken(5))
                  .call(connection -> Accounts.add(connection, 1)));
    }

    @Test
    void a_row_is_not_inserted_without_a_token_where_the_ddl_was_run() throws SQLException {
      Accounts.run(database, "ALTER TABLE account DROP COLUMN fence");
      for (String statement : GUARD.ddl().lines().toList()) {
        Accounts.run(database, statement);
      }
      pay(6, 100);
      Accounts.run(database, "DELETE FROM account WHERE id = 1");
      assertThatThrownBy(
              () -> Accounts.run(database, "INSERT INTO account (id, balance) VALUES (1, 0)"))
          .isInstanceOf(SQLException.class);
      Accounts.run(database, "INSERT INTO account (id, balance, fence) VALUES (1, 0, 6)");
      assertThatThrownBy(() -> pay(5, 1)).isInstanceOf(StaleTokenException.class);
    }
  }

  @Nested
  @Tag("postgresql")
  class Postgresql extends Cases {
    @Override
    DataSource database() {
      return Databases.postgres();
    }
  }

  @Nested
  @Tag("mariadb")
  class MariaDb extends Cases {
    @Override
    DataSource database() {
      return Databases.mariaDb();
    }

    @Override
    Class<? extends Exception> refusalOfOlderView() {
      return LockException.class;
    }
  }

  @Nested
  @Tag("h2")
  class H2 extends Cases {
    private final DataSource database = Databases.h2();

    @Override
    DataSource database() {
      return database;
    }
  }
}
