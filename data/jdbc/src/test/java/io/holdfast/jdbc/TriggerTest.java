// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tables that let nobody write without a token. */
@Tag("postgresql")
class TriggerTest {
  private static final String RESOURCE = "the baker's account";
  private final DataSource database = Databases.postgres();

  @BeforeEach
  void create() throws SQLException {
    Accounts.create(database);
    Accounts.run(database, "DROP SCHEMA IF EXISTS holdfast CASCADE");
    Accounts.run(database, FencingGuard.triggerDdl(RESOURCE, "account"));
    Accounts.run(database, FencingGuard.triggerDdl(RESOURCE, "public.account"));
  }

  private void assertRefused(String statements, String state) {
    assertThatThrownBy(() -> Accounts.run(database, statements))
        .isInstanceOfSatisfying(
            SQLException.class, failed -> assertThat(failed.getSQLState()).isEqualTo(state));
  }

  @Test
  void whoever_presents_no_token_cannot_write() {
    assertRefused("UPDATE account SET balance = 1", "HF001");
    assertRefused("INSERT INTO account (id, balance) VALUES (3, 0)", "HF001");
    assertRefused("DELETE FROM account", "HF001");
    assertRefused("TRUNCATE account", "HF001");
  }

  @Test
  void whoever_sets_an_old_token_by_hand_cannot_write() throws SQLException {
    FencingGuard.trigger(RESOURCE)
        .in(database)
        .with(new FencingToken(8))
        .call(connection -> Accounts.add(connection, 1));
    String setting = "SET holdfast.fence_" + md5() + " = '%s'; UPDATE account SET balance = 9";
    assertRefused(setting.formatted("7"), "HF002");
    assertRefused(setting.formatted("9"), "HF001");
    assertThat(Accounts.balance(database)).isEqualTo(1);
  }

  private String md5() throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.prepareStatement("SELECT md5(?)")) {
      statement.setString(1, RESOURCE);
      try (var found = statement.executeQuery()) {
        found.next();
        return found.getString(1);
      }
    }
  }

  @Test
  void a_token_is_gone_after_its_transaction() throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      FencingGuard.trigger(RESOURCE).enter(connection, new FencingToken(8));
      Accounts.add(connection, 1);
      connection.commit();
      assertThatThrownBy(() -> Accounts.add(connection, 1)).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void names_that_are_more_than_names_are_refused() {
    assertThatThrownBy(() -> FencingGuard.triggerDdl(RESOURCE, "account; DROP TABLE account"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FencingGuard.column("account", "id", "fence = 0 --", 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Otherwise a role that may create in the writer's path gets its code run as the writer. */
  @Test
  void every_function_names_its_search_path() throws SQLException {
    assertThat(functions("true")).isPositive();
    String theirPath = "'search_path=pg_catalog, pg_temp' = ANY (proconfig)";
    assertThat(functions("NOT coalesce(" + theirPath + ", false)")).isZero();
  }

  private long functions(String condition) throws SQLException {
    String count =
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace AND ";
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(count + condition)) {
      row.next();
      return row.getLong(1);
    }
  }
}
