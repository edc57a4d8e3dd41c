// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** A guard inside of a transaction that Spring manages. */
@Tag("postgresql")
class SpringTransactionTest {
  private final DataSource database = Databases.postgres();
  private final FencingGuard guard = FencingGuard.column("account", "id", "fence", 1L);

  private void pay(long token, long amount) {
    new TransactionTemplate(new DataSourceTransactionManager(database))
        .executeWithoutResult(
            status -> {
              Connection connection = DataSourceUtils.getConnection(database);
              try {
                guard.enter(connection, new FencingToken(token));
                Accounts.add(connection, amount);
              } catch (SQLException failed) {
                throw new AssertionError(failed);
              }
            });
  }

  @Test
  void it_is_rolled_back_when_the_token_is_stale() throws SQLException {
    Accounts.create(database);
    pay(5, 1);
    pay(6, 10);
    assertThatThrownBy(() -> pay(5, 100)).isInstanceOf(StaleTokenException.class);
    assertThat(Accounts.balance(database)).isEqualTo(11);
  }
}
