// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A holder that is paused between its read and its write, where its successor comes in. */
abstract class PausedHolderCases extends GuardCases {
  private static final FencingToken OLD = new FencingToken(1L << 60);
  private static final FencingToken NEW = new FencingToken((1L << 60) + 1);

  @Test
  void a_holder_that_is_paused_in_its_transaction_is_ended_and_loses_nothing_of_the_next()
      throws Exception {
    DataSource database = database();
    // Of the one that is paused alone, and long enough for a busy machine to begin it.
    FencingGuard guard = guard().idleTimeout(Duration.ofSeconds(2));
    try (Connection paused = database.getConnection()) {
      paused.setAutoCommit(false);
      guard.enter(paused, OLD);
      long seen = Accounts.balance(paused);
      // It waits for the one before, until the server has ended that one.
      guard().in(database).with(NEW).call(connection -> Accounts.add(connection, 100));
      assertThatThrownBy(
              () -> {
                Accounts.set(paused, seen + 1);
                paused.commit();
              })
          .isInstanceOf(SQLException.class);
    }
    assertThat(Accounts.balance(database)).isEqualTo(100);
  }

  @Test
  void a_holder_that_comes_back_after_the_next_one_is_refused_before_it_reads() throws Exception {
    DataSource database = database();
    guard().in(database).with(NEW).call(connection -> Accounts.add(connection, 100));
    assertThatThrownBy(
            () -> guard().in(database).with(OLD).call(connection -> Accounts.add(connection, 1)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(Accounts.balance(database)).isEqualTo(100);
  }

  @Test
  void above_read_committed_the_next_holder_waits_and_comes_in_all_the_same() throws Exception {
    DataSource database = new Isolated(database(), Connection.TRANSACTION_REPEATABLE_READ);
    try (Connection first = database.getConnection()) {
      first.setAutoCommit(false);
      guard().enter(first, OLD);
      Accounts.add(first, 1);
      Thread next =
          new Thread(
              () -> {
                try {
                  guard().in(database).with(NEW).call(other -> Accounts.add(other, 100));
                } catch (SQLException failed) {
                  throw new AssertionError(failed);
                }
              });
      next.start();
      Isolated.awaitLockWait(database());
      first.commit();
      next.join(60_000);
    }
    assertThat(Accounts.balance(database)).isEqualTo(101);
  }

  @Test
  void the_time_out_of_a_guarded_transaction_is_gone_after_it() throws Exception {
    try (Connection connection = database().getConnection()) {
      connection.setAutoCommit(false);
      guard().idleTimeout(Duration.ofMinutes(1)).enter(connection, OLD);
      assertThat(idleTimeout(connection)).isEqualTo("1min");
      connection.commit();
      assertThat(idleTimeout(connection)).isEqualTo("0");
    }
  }

  private static String idleTimeout(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet shown = statement.executeQuery("SHOW idle_in_transaction_session_timeout")) {
      shown.next();
      return shown.getString(1);
    }
  }
}
