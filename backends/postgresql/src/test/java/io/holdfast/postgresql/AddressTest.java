// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What an address and a builder may say, and that no secret is ever told. */
@Tag("postgresql")
class AddressTest {
  private static final String CANARY = "c4n4ry";
  private static final Duration LONG = Duration.ofMinutes(1);

  private static Database database;

  @BeforeAll
  static void start() {
    database = new Database();
    database.run("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right'");
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://",
        "postgresql://host",
        "postgresql:///db",
        "postgresql://host:port/db",
        "postgresql://host/db/more",
        "postgresql://host,/db",
        "postgresql://host/db?mode=other",
        "postgresql://host/db?schema=Not;Good",
        "postgresql://host/db?timeout=soon",
        "postgresql://host/db?timeout=1m",
        "postgresql://host/db?session=10ms",
        "postgresql://host/db?notify=maybe",
        "postgresql://host/db?unknown=1"
      })
  void an_address_that_makes_no_sense_is_refused(String address) {
    assertThatIllegalArgumentException().isThrownBy(() -> BackendProvider.backendAt(address));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://user:c4n4ry@127.0.0.1:1/db?mode=lease&timeout=200ms",
        "postgresql://user:c4n4ry@127.0.0.1:1/db?mode=advisory&timeout=200ms",
        "postgresql://user:c4n4ry@host:6379x/db",
        "postgresql://user:c4n4ry@host/db?schema="
      })
  void no_failure_tells_the_password(String address) {
    Throwable failure = catchThrowable(() -> Holdfast.connect(address).close());
    assertThat(failure).isNotNull();
    assertThat(allOf(failure)).doesNotContain(CANARY);
  }

  @Test
  void a_wrong_password_is_a_refusal_that_does_not_tell_it() {
    String place = database.server().hostAndPort() + "/postgres";
    Throwable failure =
        catchThrowable(
            () -> Holdfast.connect("postgresql://guarded:" + CANARY + "@" + place).close());
    assertThat(failure).isInstanceOf(BackendException.class).hasMessageContaining("password");
    assertThat(((BackendException) failure).isTransient()).isFalse();
    assertThat(allOf(failure)).doesNotContain(CANARY);
    Holdfast.connect("postgresql://guarded:right@" + place).close();
  }

  @Test
  void nothing_prints_the_password() {
    PostgresBackend.Builder builder =
        PostgresBackend.builder("postgresql://u:" + CANARY + "@host/db?timeout=2s")
            .credentials("u", CANARY)
            .advisory()
            .schema("locks")
            .session(Duration.ofMinutes(1))
            .notifications(false)
            .createSchema(false)
            .timeout(Duration.ofSeconds(1));
    assertThat(builder.toString() + builder.build() + builder.lease().build())
        .doesNotContain(CANARY)
        .contains("host:5432");
  }

  private static String allOf(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_pool_is_used_and_gets_its_connections_back_as_they_were(String mode) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.server().jdbcUrl());
    config.setMaximumPoolSize(4);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      PostgresBackend.Builder builder = PostgresBackend.builder(pool);
      builder = mode.equals("advisory") ? builder.advisory() : builder.lease();
      try (Holdfast holdfast = Holdfast.builder(builder.build()).build()) {
        Lease lease = holdfast.lock("n").acquire(LONG);
        assertThat(holdfast.lock("n").tryAcquire()).isEmpty();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isLessThanOrEqualTo(2);
        assertThat(lease.release()).isTrue();
      }
      Eventually.until(
          "all are back", () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
      try (Connection one = pool.getConnection();
          var statement = one.createStatement();
          var row = statement.executeQuery("SHOW idle_session_timeout")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("0");
      }
      assertThat(database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
          .isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_pool_that_stumbles_over_a_connection_that_is_given_up_does_no_harm(String mode)
      throws Exception {
    PGSimpleDataSource server = new PGSimpleDataSource();
    server.setUrl(database.server().jdbcUrl());
    DataSource stumbling =
        proxy(DataSource.class, (call, with) -> proxy(Connection.class, stumblingAtTheEnd(server)));
    PostgresBackend.Builder builder = PostgresBackend.builder(stumbling);
    builder = mode.equals("advisory") ? builder.advisory() : builder.lease();
    try (Holdfast holdfast = Holdfast.builder(builder.build()).build()) {
      assertThat(holdfast.lock("n").acquire(LONG).release()).isTrue();
    }
  }

  private static Behaviour stumblingAtTheEnd(DataSource server) throws SQLException {
    Connection connection = server.getConnection();
    return (method, arguments) -> {
      Object answer = method.invoke(connection, arguments);
      if (method.getName().equals("close")) {
        throw new IllegalStateException("the pool has lost its books");
      }
      return answer;
    };
  }

  private interface Behaviour {
    @Nullable Object of(Method method, Object @Nullable [] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Behaviour behaviour) {
    return type.cast(
        Proxy.newProxyInstance(
            AddressTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> behaviour.of(method, arguments)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void without_messages_waiters_ask_and_get_on(String mode) throws Exception {
    Duration leaseTime = Duration.ofSeconds(20);
    Holdfast one = database.client("notify=false&mode=" + mode, leaseTime);
    Holdfast other = database.client("notify=false&mode=" + mode, leaseTime);
    Lease lease = one.lock("quiet").acquire(LONG);
    var waiter = other.lock("quiet").async().acquire(LONG);
    lease.release();
    Lease next = waiter.get(60, TimeUnit.SECONDS);
    assertThat(next.token().isNewerThan(lease.token())).isTrue();
    next.release();
  }
}
