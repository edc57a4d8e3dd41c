// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("postgresql")
class OptimisticTest {
  private static final VersionedTable ACCOUNT = new VersionedTable("account", "id", "version");
  private static final OptimisticPolicy MANY =
      OptimisticPolicy.defaults().attempts(10_000).deadline(Duration.ofMinutes(5));

  private final DataSource database = Databases.postgres();

  @BeforeEach
  void create() throws SQLException {
    Accounts.create(database);
  }

  private static long addOne(Connection connection) throws SQLException {
    long version = ACCOUNT.versionOf(connection, 1L);
    long balance = Accounts.add(connection, 1);
    ACCOUNT.advance(connection, 1L, version);
    return balance;
  }

  private static void inThreads(int count, Callable<?> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        running.add(threads.submit(work));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void no_update_is_lost_and_conflicts_are_counted() throws Exception {
    Optimistic optimistic = new Optimistic(database, MANY);
    inThreads(
        4,
        () -> {
          for (int i = 0; i < 25; i++) {
            optimistic.call(OptimisticTest::addOne);
          }
          return null;
        });
    assertThat(Accounts.balance(database)).isEqualTo(100);
    assertThat(optimistic.counts().calls()).isEqualTo(100);
    assertThat(optimistic.counts().exhausted()).isZero();
  }

  @Test
  void serialization_failures_are_tried_again() throws Exception {
    DataSource serializable = new Isolated(database, Connection.TRANSACTION_SERIALIZABLE);
    inThreads(
        4,
        () -> {
          for (int i = 0; i < 10; i++) {
            Optimistic.call(serializable, MANY, connection -> Accounts.add(connection, 1));
          }
          return null;
        });
    assertThat(Accounts.balance(database)).isEqualTo(40);
  }

  @Test
  void a_conflict_is_tried_again_with_fresh_reads() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    Optimistic optimistic = new Optimistic(database, MANY);
    long balance =
        optimistic.call(
            connection -> {
              long version = ACCOUNT.versionOf(connection, 1L);
              if (attempts.incrementAndGet() == 1) {
                Accounts.run(database, "UPDATE account SET balance = 7, version = version + 1");
              }
              ACCOUNT.advance(connection, 1L, version);
              return Accounts.add(connection, 1);
            });
    assertThat(balance).isEqualTo(8);
    assertThat(attempts).hasValue(2);
    assertThat(optimistic.counts().conflicts()).isEqualTo(1);
  }

  @Test
  void when_no_attempt_gets_through_the_failure_says_how_many_there_were() throws Exception {
    Optimistic optimistic = new Optimistic(database, OptimisticPolicy.defaults().attempts(3));
    assertThatThrownBy(() -> optimistic.call(connection -> conflict()))
        .isInstanceOfSatisfying(
            ConflictsExhaustedException.class,
            exhausted -> assertThat(exhausted.attempts()).isEqualTo(3))
        .hasCauseInstanceOf(VersionConflictException.class);
    assertThat(optimistic.counts().exhausted()).isEqualTo(1);
  }

  private static Object conflict() {
    throw new VersionConflictException("somebody was faster");
  }

  @Test
  void a_deadline_ends_the_attempts() {
    OptimisticPolicy policy =
        MANY.deadline(Duration.ofMillis(300)).pauses(Duration.ofMillis(10), Duration.ofMillis(50));
    assertThatThrownBy(() -> Optimistic.call(database, policy, connection -> conflict()))
        .isInstanceOf(ConflictsExhaustedException.class);
  }

  @Test
  void after_some_conflicts_attempts_are_made_under_a_lock() throws Exception {
    try (Holdfast holdfast = Holdfast.connect("memory:")) {
      AtomicInteger attempts = new AtomicInteger();
      Optimistic optimistic =
          new Optimistic(database, MANY.lockAfter(2, holdfast.lock("account/1")));
      optimistic.call(
          connection -> {
            boolean locked = !holdfast.inspect("account/1").isFree();
            assertThat(locked).isEqualTo(attempts.get() >= 2);
            return attempts.incrementAndGet() < 4 ? conflict() : "done";
          });
      assertThat(optimistic.counts().locked()).isEqualTo(2);
      assertThat(holdfast.inspect("account/1").isFree()).isTrue();
    }
  }

  @Test
  void other_failures_are_not_tried_again() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                Optimistic.call(
                    database,
                    MANY,
                    connection -> {
                      attempts.incrementAndGet();
                      return connection.createStatement().executeQuery("SELECT nonsense");
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void inside_of_a_transaction_it_does_not_begin() {
    assertThatThrownBy(() -> Optimistic.call(database, MANY, connection -> nested()))
        .hasMessageContaining("inside of a transaction");
    TransactionTemplate template =
        new TransactionTemplate(new DataSourceTransactionManager(database));
    assertThatThrownBy(() -> template.execute(status -> nested()))
        .hasMessageContaining("inside of a transaction");
  }

  private Object nested() {
    try {
      return Optimistic.call(database, MANY, connection -> "never");
    } catch (SQLException | InterruptedException failed) {
      throw new AssertionError(failed);
    }
  }
}
