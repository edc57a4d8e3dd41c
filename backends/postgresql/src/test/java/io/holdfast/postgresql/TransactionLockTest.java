// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.servers.PgBouncer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that a transaction holds. */
@Tag("postgresql")
class TransactionLockTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final TransactionLock LOCK = TransactionLock.named("account:12");

  private static Database database;

  @BeforeAll
  static void start() {
    database = new Database();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  private static Connection transaction() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void one_transaction_holds_it_until_it_ends() throws Exception {
    try (Connection one = transaction();
        Connection other = transaction()) {
      assertThat(LOCK.tryAcquire(one)).isTrue();
      assertThat(LOCK.tryAcquire(one)).isTrue();
      assertThat(LOCK.tryAcquire(other)).isFalse();
      one.commit();
      assertThat(LOCK.tryAcquire(other)).isTrue();
      assertThat(LOCK.tryAcquire(one)).isFalse();
      other.rollback();
      assertThat(LOCK.tryAcquire(one)).isTrue();
      one.rollback();
    }
  }

  @Test
  void those_who_share_it_hold_it_together_and_keep_others_out() throws Exception {
    try (Connection one = transaction();
        Connection other = transaction();
        Connection writer = transaction()) {
      assertThat(LOCK.shared().tryAcquire(one)).isTrue();
      assertThat(LOCK.shared().tryAcquire(other)).isTrue();
      assertThat(LOCK.tryAcquire(writer)).isFalse();
      one.commit();
      other.commit();
      assertThat(LOCK.tryAcquire(writer)).isTrue();
      assertThat(LOCK.shared().tryAcquire(one)).isFalse();
      writer.rollback();
    }
  }

  @Test
  void a_wait_ends_when_the_lock_is_free_or_when_the_time_is_up() throws Exception {
    try (Connection one = transaction();
        Connection other = transaction()) {
      LOCK.acquire(one, LONG);
      assertThat(LOCK.tryAcquire(other, Duration.ofMillis(50))).isFalse();
      assertThatThrownBy(() -> LOCK.acquire(other, Duration.ofMillis(50)))
          .isInstanceOf(LockTimeoutException.class);
      CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> waited(LOCK, other));
      one.commit();
      assertThat(waiter.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(LOCK.tryAcquire(one)).isFalse();
      other.rollback();
    }
  }

  private static boolean waited(TransactionLock lock, Connection connection) {
    try {
      return lock.tryAcquire(connection, LONG);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void a_rollback_to_a_savepoint_frees_what_was_taken_after_it_and_it_can_be_asked()
      throws Exception {
    for (TransactionLock lock :
        List.of(LOCK, LOCK.shared(), TransactionLock.named("a"), TransactionLock.named("b"))) {
      try (Connection one = transaction();
          Connection other = transaction()) {
        assertThat(lock.isHeld(one)).isFalse();
        Savepoint before = one.setSavepoint();
        assertThat(lock.tryAcquire(one)).isTrue();
        assertThat(lock.isHeld(one)).isTrue();
        assertThat(lock.isHeld(other)).isFalse();
        one.rollback(before);
        assertThat(lock.isHeld(one)).isFalse();
        assertThat(lock.tryAcquire(other)).isTrue();
        other.rollback();
        one.rollback();
      }
    }
  }

  @Test
  void a_rollback_to_a_savepoint_keeps_what_was_taken_before_it() throws Exception {
    try (Connection one = transaction();
        Connection other = transaction()) {
      assertThat(LOCK.tryAcquire(one)).isTrue();
      one.rollback(one.setSavepoint());
      assertThat(LOCK.isHeld(one)).isTrue();
      assertThat(LOCK.tryAcquire(other)).isFalse();
      one.commit();
      assertThat(LOCK.isHeld(one)).isFalse();
      other.rollback();
    }
  }

  @Test
  void it_is_the_lock_of_that_name_in_advisory_mode() throws Exception {
    Holdfast holdfast = database.client("mode=advisory", Duration.ofSeconds(20));
    try (Connection one = transaction()) {
      Lease lease = holdfast.lock(LOCK.name()).tryAcquire().orElseThrow();
      assertThat(LOCK.tryAcquire(one)).isFalse();
      lease.release();
      assertThat(LOCK.tryAcquire(one)).isTrue();
      assertThat(holdfast.lock(LOCK.name()).tryAcquire()).isEmpty();
      one.rollback();
      assertThat(holdfast.lock(LOCK.name()).acquire(LONG).release()).isTrue();
    }
  }

  @Test
  void it_works_behind_a_transaction_pooler() throws Exception {
    try (PgBouncer pooler = PgBouncer.start(database.server(), "transaction");
        Connection one = behind(pooler);
        Connection other = behind(pooler)) {
      assertThat(LOCK.tryAcquire(one)).isTrue();
      assertThat(LOCK.tryAcquire(other)).isFalse();
      one.commit();
      assertThat(LOCK.tryAcquire(other)).isTrue();
      other.rollback();
    }
  }

  private static Connection behind(PgBouncer pooler) throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            "jdbc:postgresql://"
                + pooler.hostAndPort()
                + "/postgres?user=postgres&prepareThreshold=0");
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void what_makes_no_sense_is_refused() throws Exception {
    assertThatIllegalArgumentException().isThrownBy(() -> TransactionLock.named(" "));
    try (Connection open = database.connect()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> LOCK.tryAcquire(open))
          .withMessageContaining("setAutoCommit(false)");
      open.setAutoCommit(false);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> LOCK.tryAcquire(open, Duration.ofMillis(-1)));
      for (int level :
          new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
        open.setTransactionIsolation(level);
        assertThatIllegalStateException()
            .isThrownBy(() -> LOCK.tryAcquire(open))
            .withMessageContaining("READ COMMITTED");
        open.rollback();
      }
    }
    try (Connection other = transaction()) {
      assertThat(LOCK.tryAcquire(other)).isTrue();
      other.rollback();
    }
  }

  @Test
  void a_failure_has_its_type_and_leaves_no_lock() throws Exception {
    try (Connection one = transaction();
        Connection other = transaction();
        Statement statement = one.createStatement()) {
      assertThat(LOCK.tryAcquire(one)).isTrue();
      assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> LOCK.tryAcquire(one)).isInstanceOf(BackendException.class);
      one.rollback();
      assertThat(LOCK.tryAcquire(other)).isTrue();
      other.rollback();
    }
  }

  @Test
  void no_update_is_lost_under_it() throws Exception {
    database.run("CREATE TABLE counter (value int)");
    database.run("INSERT INTO counter VALUES (0)");
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      threads.add(CompletableFuture.runAsync(TransactionLockTest::countTo25));
    }
    for (CompletableFuture<Void> thread : threads) {
      thread.get(60, TimeUnit.SECONDS);
    }
    assertThat(database.number("SELECT value FROM counter")).isEqualTo(100);
  }

  private static void countTo25() {
    try (Connection connection = transaction();
        Statement statement = connection.createStatement()) {
      for (int round = 0; round < 25; round++) {
        LOCK.acquire(connection, LONG);
        try (var row = statement.executeQuery("SELECT value FROM counter")) {
          row.next();
          statement.execute("UPDATE counter SET value = " + (row.getInt(1) + 1));
        }
        connection.commit();
      }
    } catch (SQLException | InterruptedException failed) {
      throw new AssertionError(failed);
    }
  }
}
