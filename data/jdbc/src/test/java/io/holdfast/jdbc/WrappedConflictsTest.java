// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Conflicts that arrive as the cause of something else, or under a code of a database's own. */
class WrappedConflictsTest {
  private final AtomicInteger attempts = new AtomicInteger();

  /** Reads, lets another transaction write in the first attempt, and writes. */
  private long addOne(DataSource database, Connection connection) {
    JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
    long read =
        template
            .queryForList("SELECT balance FROM account WHERE id = 1", Long.class)
            .get(0)
            .longValue();
    if (attempts.incrementAndGet() == 1) {
      addTenElsewhere(database);
    }
    template.update("UPDATE account SET balance = ? WHERE id = 1", read + 1);
    return read + 1;
  }

  private static void addTenElsewhere(DataSource database) {
    try {
      Accounts.run(database, "UPDATE account SET balance = balance + 10 WHERE id = 1");
    } catch (SQLException failed) {
      throw new AssertionError(failed);
    }
  }

  private void assertTriedAgain(DataSource database, DataSource isolated) throws Exception {
    Accounts.create(database);
    Optimistic optimistic = new Optimistic(isolated, OptimisticPolicy.defaults());
    optimistic.call(connection -> addOne(database, connection));
    assertThat(Accounts.balance(database)).isEqualTo(11);
    assertThat(attempts).hasValue(2);
    assertThat(optimistic.counts().conflicts()).isEqualTo(1);
  }

  @Test
  @Tag("postgresql")
  void what_a_jdbc_template_makes_of_a_serialization_failure_is_tried_again() throws Exception {
    DataSource database = Databases.postgres();
    assertTriedAgain(database, new Isolated(database, Connection.TRANSACTION_REPEATABLE_READ));
  }

  @Test
  @Tag("mariadb")
  void a_row_that_mariadb_says_has_changed_is_tried_again() throws Exception {
    DataSource database = Databases.mariaDb();
    DataSource isolated = new Isolated(database, Connection.TRANSACTION_REPEATABLE_READ);
    assertTriedAgain(
        database,
        new DelegatingDataSource(isolated) {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
              statement.execute("SET SESSION innodb_snapshot_isolation = ON");
            }
            return connection;
          }
        });
  }

  private Object attempt(Exception first) throws Exception {
    if (attempts.incrementAndGet() == 1) {
      throw first;
    }
    return "done";
  }

  @Test
  @Tag("h2")
  void a_conflict_below_several_causes_is_tried_again() throws Exception {
    SQLException deadlock = new SQLException("deadlock", "40P01");
    SQLException batch = new SQLException("batch");
    batch.setNextException(deadlock);
    for (Exception wrapped :
        new Exception[] {
          new IllegalStateException("entity manager", new RuntimeException("dialect", deadlock)),
          new Exception("checked", batch),
          new IllegalStateException(new VersionConflictException("row 1"))
        }) {
      attempts.set(0);
      Optimistic.call(Databases.h2(), OptimisticPolicy.defaults(), connection -> attempt(wrapped));
      assertThat(attempts).hasValue(2);
    }
  }

  @Test
  @Tag("h2")
  void other_failures_are_thrown_as_they_are() {
    Exception loop = new IllegalStateException("one");
    loop.initCause(new IllegalStateException("two", loop));
    SQLException syntax = new SQLException("syntax", "42601");
    Exception given =
        new ConflictsExhaustedException(
            3, Duration.ofSeconds(1), new VersionConflictException("row 1"));
    for (Exception other :
        new Exception[] {loop, new DataAccessException("syntax", syntax) {}, given}) {
      attempts.set(0);
      assertThatThrownBy(
              () ->
                  Optimistic.call(
                      Databases.h2(), OptimisticPolicy.defaults(), connection -> attempt(other)))
          .isSameAs(other);
      assertThat(attempts).hasValue(1);
    }
  }
}
