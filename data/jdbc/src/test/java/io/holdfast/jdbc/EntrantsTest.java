// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many entrants at once, on every database, with every guard that it has, in every isolation level.
 * Each takes the next token, counts the records behind the guard, and leaves one of its token and
 * of what it counted. Whatever was refused and whatever failed: those that committed counted 0, 1,
 * 2 and so on, by tokens that grow.
 */
class EntrantsTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 12;

  enum Kind {
    COLUMN,
    TABLE,
    TRIGGER;

    FencingGuard guard() {
      FencingGuard guard =
          switch (this) {
            case COLUMN -> FencingGuard.column("account", "id", "fence", 1L);
            case TABLE -> FencingGuard.table("account/1");
            case TRIGGER -> FencingGuard.trigger("account/1");
          };
      return guard.idleTimeout(Duration.ofMinutes(2));
    }
  }

  enum Isolation {
    READ_UNCOMMITTED(Connection.TRANSACTION_READ_UNCOMMITTED),
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
      this.level = level;
    }

    /** Whether what was read before the entry stays in view, so that it has to be noticed. */
    boolean keepsView() {
      return level >= Connection.TRANSACTION_REPEATABLE_READ;
    }
  }

  static Stream<Arguments> inPostgresql() {
    return Stream.of(Kind.values()).flatMap(EntrantsTest::combined);
  }

  static Stream<Arguments> elsewhere() {
    return combined(Kind.COLUMN);
  }

  private static Stream<Arguments> combined(Kind kind) {
    return Stream.of(Isolation.values())
        .flatMap(
            isolation ->
                isolation.keepsView()
                    ? Stream.of(arguments(kind, isolation, false), arguments(kind, isolation, true))
                    : Stream.of(arguments(kind, isolation, false)));
  }

  @ParameterizedTest(name = "{0}, {1}, has read before: {2}")
  @MethodSource("inPostgresql")
  @Tag("postgresql")
  void in_postgresql_none_overtakes_and_no_update_is_lost(
      Kind kind, Isolation isolation, boolean readsFirst) throws Exception {
    DataSource database = Databases.postgres();
    create(database);
    Accounts.run(database, "DROP SCHEMA IF EXISTS holdfast CASCADE");
    Accounts.run(
        database,
        kind == Kind.TRIGGER
            ? FencingGuard.triggerDdl("account/1", "account", "record")
            : FencingGuard.table("account/1").ddl());
    assertInOrder(database, kind, isolation, readsFirst);
  }

  @ParameterizedTest(name = "{0}, {1}, has read before: {2}")
  @MethodSource("elsewhere")
  @Tag("mariadb")
  void in_mariadb_none_overtakes_and_no_update_is_lost(
      Kind kind, Isolation isolation, boolean readsFirst) throws Exception {
    create(Databases.mariaDb());
    assertInOrder(Databases.mariaDb(), kind, isolation, readsFirst);
  }

  @ParameterizedTest(name = "{0}, {1}, has read before: {2}")
  @MethodSource("elsewhere")
  @Tag("h2")
  void in_h2_none_overtakes_and_no_update_is_lost(
      Kind kind, Isolation isolation, boolean readsFirst) throws Exception {
    DataSource database = Databases.h2();
    create(database);
    assertInOrder(database, kind, isolation, readsFirst);
  }

  private static void create(DataSource database) throws SQLException {
    Accounts.create(database);
    Accounts.run(database, "DROP TABLE IF EXISTS record");
    Accounts.run(database, "CREATE TABLE record (token BIGINT NOT NULL, seen BIGINT NOT NULL)");
  }

  private static void assertInOrder(
      DataSource database, Kind kind, Isolation isolation, boolean readsFirst) throws Exception {
    Entrants entrants = new Entrants(new Isolated(database, isolation.level), kind, readsFirst);
    entrants.race();
    entrants.enterAlone();
    List<long[]> records = records(database);
    assertThat(records.stream().mapToLong(each -> each[1]).toArray())
        .as("what was read behind the guard")
        .containsExactly(LongStream.range(0, records.size()).toArray());
    assertThat(records.stream().map(each -> each[0])).as("tokens").isSorted();
    assertThat(Accounts.balance(database)).isEqualTo(records.size());
    assertThat(records.get(records.size() - 1)[0]).isEqualTo(entrants.newest.get());
  }

  private static List<long[]> records(DataSource database) throws SQLException {
    List<long[]> records = new ArrayList<>();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT token, seen FROM record ORDER BY seen, token")) {
      while (found.next()) {
        records.add(new long[] {found.getLong(1), found.getLong(2)});
      }
    }
    return records;
  }

  private static final class Entrants {
    private final DataSource database;
    private final FencingGuard guard;
    private final boolean readsFirst;
    private final AtomicLong newest = new AtomicLong();

    Entrants(DataSource database, Kind kind, boolean readsFirst) {
      this.database = database;
      this.guard = kind.guard();
      this.readsFirst = readsFirst;
    }

    void race() throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Future<?>> running =
            IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(thread -> threads.submit(this::enterOften))
                .toList();
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        threads.shutdownNow();
      }
    }

    private void enterOften() {
      for (int round = 0; round < ROUNDS; round++) {
        try {
          enter(new FencingToken(newest.incrementAndGet()));
        } catch (StaleTokenException | SQLException refused) {
          // The next one has a newer token; a failure of the database refuses as well.
        }
      }
    }

    /** With nobody else there the newest token comes in, so that not all were refused. */
    void enterAlone() throws SQLException {
      enter(new FencingToken(newest.incrementAndGet()));
    }

    private void enter(FencingToken token) throws SQLException {
      try (Connection connection = database.getConnection()) {
        connection.setAutoCommit(false);
        try {
          if (readsFirst) {
            Accounts.balance(connection);
          }
          guard.enter(connection, token);
          addOne(connection, token);
          connection.commit();
        } catch (StaleTokenException | SQLException refused) {
          connection.rollback();
          throw refused;
        }
      }
    }

    private static void addOne(Connection connection, FencingToken token) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        long seen = count(statement);
        statement.executeUpdate("INSERT INTO record VALUES (%s, %d)".formatted(token, seen));
        Accounts.set(connection, seen + 1);
      }
    }

    /** Not from the row with the token: a transaction that has written a row sees it as it is. */
    private static long count(Statement statement) throws SQLException {
      try (ResultSet found = statement.executeQuery("SELECT count(*) FROM record")) {
        found.next();
        return found.getLong(1);
      }
    }
  }
}
