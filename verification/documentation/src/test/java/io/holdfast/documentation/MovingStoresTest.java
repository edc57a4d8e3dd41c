// SPDX-License-Identifier: Apache-2.0
package io.holdfast.documentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.FencingGuard;
import io.holdfast.postgresql.PostgresBackend;
import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The steps of docs/guards.md, by which a guarded resource moves from one store to another. */
@Tag("postgresql")
@Tag("redis")
class MovingStoresTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "guards.md");
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String ADVANCE = "SELECT holdfast.advance_tokens();";
  private static final String IS_NOT_AHEAD =
      "SELECT last_value + 64 < extract(epoch FROM clock_timestamp()) * 1000000 FROM"
          + " holdfast.token;";

  /**
   * As if the schema had been made five minutes ago. A new one is 67 s ahead, and the first session
   * of advisory mode adds as much.
   */
  private static final String AGED =
      "SELECT setval('holdfast.token', last_value - 300 * 1000000) FROM holdfast.token";

  private static PostgresServer postgres;
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    postgres = PostgresServer.start();
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
    postgres.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "advisory"})
  void a_guarded_resource_moves_from_postgresql_to_redis_and_back(String mode) throws Exception {
    assertThat(Files.readString(PAGE)).contains(ADVANCE, IS_NOT_AHEAD);
    run("DROP SCHEMA IF EXISTS holdfast CASCADE");
    run(PostgresBackend.schema());
    FencingGuard guard = FencingGuard.table("resource/" + mode);
    run(guard.ddl());
    String inPostgres =
        "postgresql://postgres@" + postgres.hostAndPort() + "/postgres?timeout=4s&mode=" + mode;
    String inRedis = "redis://" + redis.hostAndPort();

    try (Holdfast made = Holdfast.connect(inPostgres)) {
      made.lock("n").acquire(LONG).release(); // Advisory mode advances before its first grant.
    }
    run(AGED);
    Lease old;
    try (Holdfast from = Holdfast.connect(inPostgres)) {
      old = from.lock("n").acquire(LONG);
      enter(guard, old);
    }
    assertThat(isTrue(IS_NOT_AHEAD)).isTrue();
    try (Holdfast to = Holdfast.connect(inRedis)) {
      enter(guard, to.lock("n").acquire(LONG));
      assertThatThrownBy(() -> guard.in(source()).with(old.token()).call(connection -> true))
          .isInstanceOf(StaleTokenException.class);
    }

    try (Holdfast tooEarly = Holdfast.connect(inPostgres)) {
      Lease behind = tooEarly.lock("n").acquire(LONG);
      assertThatThrownBy(() -> enter(guard, behind)).isInstanceOf(StaleTokenException.class);
    }
    run(ADVANCE);
    try (Holdfast back = Holdfast.connect(inPostgres)) {
      enter(guard, back.lock("n").acquire(LONG));
    }
  }

  private static void enter(FencingGuard guard, Lease lease) throws Exception {
    guard.in(source()).with(lease).call(connection -> true);
  }

  private static PGSimpleDataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(postgres.jdbcUrl());
    return source;
  }

  private static void run(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean isTrue(String sql) throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
