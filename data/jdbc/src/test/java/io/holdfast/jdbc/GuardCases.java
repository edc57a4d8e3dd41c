// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossCause;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every guard does, on every database that it knows. */
abstract class GuardCases {
  private Holdfast holdfast;
  private Lease lease;
  private DataSource database;

  abstract DataSource database();

  /** A guard of account 1. */
  abstract FencingGuard guard();

  @BeforeEach
  void acquire() throws Exception {
    database = database();
    Accounts.create(database);
    holdfast = Holdfast.connect("memory:");
    lease = holdfast.lock("account/1").acquire(Duration.ofSeconds(10));
    prepare(database);
  }

  void prepare(DataSource fresh) throws SQLException {}

  @AfterEach
  void close() {
    holdfast.close();
  }

  private void pay(Lease by, long amount) throws SQLException {
    guard().in(database).with(by).call(connection -> Accounts.add(connection, amount));
  }

  private void enterAsSuccessor() throws SQLException {
    FencingToken next = new FencingToken(lease.token().value() + 1);
    guard().in(database).with(next).call(connection -> Accounts.add(connection, 100));
  }

  @Test
  void a_holder_may_come_as_often_as_it_likes() throws Exception {
    pay(lease, 1);
    pay(lease, 2);
    assertThat(Accounts.balance(database)).isEqualTo(3);
  }

  @Test
  void the_next_holder_comes_in_with_its_newer_token() throws Exception {
    pay(lease, 1);
    assertThat(lease.release()).isTrue();
    Lease next = holdfast.lock("account/1").acquire(Duration.ofSeconds(10));
    pay(next, 2);
    assertThat(Accounts.balance(database)).isEqualTo(3);
  }

  @Test
  void a_stale_holder_changes_nothing_and_its_lease_is_told() throws Exception {
    enterAsSuccessor();
    assertThatThrownBy(() -> pay(lease, 1))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            stale -> {
              assertThat(stale.resource()).contains("account");
              assertThat(stale.presented()).isEqualTo(lease.token());
              assertThat(stale.newest().value()).isEqualTo(lease.token().value() + 1);
            });
    assertThat(Accounts.balance(database)).isEqualTo(100);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.loss().toCompletableFuture().get(10, TimeUnit.SECONDS))
        .isEqualTo(LossCause.TAKEN);
    assertThatThrownBy(() -> pay(lease, 1)).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void work_that_fails_is_rolled_back_with_the_entry() throws Exception {
    assertThatThrownBy(
            () ->
                guard()
                    .in(database)
                    .with(lease)
                    .call(
                        connection -> {
                          Accounts.add(connection, 1);
                          throw new IllegalStateException("no");
                        }))
        .hasMessage("no");
    assertThat(Accounts.balance(database)).isZero();
  }

  @Test
  void a_shared_lease_is_refused() throws Exception {
    Lease shared = holdfast.lock("other").shared().acquire(Duration.ofSeconds(10));
    assertThatThrownBy(() -> pay(shared, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exclusive");
  }

  @Test
  void a_connection_without_a_transaction_is_refused() throws Exception {
    try (Connection connection = database.getConnection()) {
      assertThatThrownBy(() -> guard().enter(connection, lease))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
  }

  @Test
  void a_transaction_of_the_caller_is_guarded() throws Exception {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      guard().enter(connection, lease);
      Accounts.add(connection, 1);
      connection.commit();
    }
    enterAsSuccessor();
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> guard().enter(connection, lease))
          .isInstanceOf(StaleTokenException.class);
      connection.rollback();
    }
    assertThat(Accounts.balance(database)).isEqualTo(101);
  }
}
