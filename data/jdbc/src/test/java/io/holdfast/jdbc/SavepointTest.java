// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A rollback to a savepoint undoes what was done after it: also an entry into a guard, while the
 * transaction goes on.
 */
@Tag("postgresql")
class SavepointTest {
  private static final FencingToken TOKEN = new FencingToken(5);

  private final DataSource database = Databases.postgres();

  enum Kind {
    COLUMN,
    TABLE,
    TRIGGER;

    FencingGuard guard() {
      return switch (this) {
        case COLUMN -> FencingGuard.column("account", "id", "fence", 1L);
        case TABLE -> FencingGuard.table("account/1");
        case TRIGGER -> FencingGuard.trigger("account/1");
      };
    }
  }

  @BeforeEach
  void create() throws SQLException {
    Accounts.create(database);
    Accounts.run(database, "DROP SCHEMA IF EXISTS holdfast CASCADE");
    Accounts.run(database, FencingGuard.table("account/1").ddl());
  }

  private static Connection transaction(DataSource of) throws SQLException {
    Connection connection = of.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  @ParameterizedTest
  @EnumSource
  void an_entry_that_a_rollback_to_a_savepoint_would_undo_is_refused(Kind kind)
      throws SQLException {
    for (int entered = 0; entered < 2; entered++) { // Into a new row of the fence, and an old one.
      try (Connection connection = transaction(database)) {
        connection.setSavepoint();
        assertThatThrownBy(() -> kind.guard().enter(connection, TOKEN))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("savepoint");
        connection.rollback();
      }
      kind.guard().in(database).with(TOKEN).call(connection -> "entered");
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_nested_transaction_of_spring_does_not_enter(Kind kind) {
    DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
    TransactionTemplate nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    assertThatThrownBy(
            () ->
                new TransactionTemplate(manager)
                    .executeWithoutResult(
                        outer -> nested.executeWithoutResult(inner -> enter(kind.guard()))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nested transaction of Spring");
  }

  private void enter(FencingGuard guard) {
    try {
      guard.enter(DataSourceUtils.getConnection(database), TOKEN);
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void an_entry_outlasts_rollbacks_to_savepoints_that_came_after_it(Kind kind) throws SQLException {
    try (Connection connection = transaction(database);
        Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT before");
      statement.execute("UPDATE account SET version = 1 WHERE id = 2");
      statement.execute("RELEASE SAVEPOINT before");
      kind.guard().enter(connection, TOKEN);
      Savepoint after = connection.setSavepoint();
      Accounts.add(connection, 1);
      connection.rollback(after);
      Accounts.add(connection, 100);
      connection.commit();
    }
    assertThat(Accounts.balance(database)).isEqualTo(100);
    assertThatThrownBy(
            () -> kind.guard().in(database).with(new FencingToken(4)).call(connection -> "entered"))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  void a_driver_that_makes_savepoints_by_itself_is_told_apart_by_the_message() throws SQLException {
    PGSimpleDataSource saving = (PGSimpleDataSource) Databases.postgres();
    saving.setProperty("autosave", "always");
    try (Connection connection = transaction(saving)) {
      assertThatThrownBy(() -> Kind.TABLE.guard().enter(connection, TOKEN))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("autosave");
      connection.rollback();
    }
  }
}
