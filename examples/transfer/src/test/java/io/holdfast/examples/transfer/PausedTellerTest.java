// SPDX-License-Identifier: Apache-2.0
package io.holdfast.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.Stopping;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A teller is stopped, as a process, between its reads and its writes, and its lock is taken from
 * it; another one moves money meanwhile; then the first goes on. The lock is released by force: a
 * lease short enough to wait for its end could end on a slow machine before the teller has read.
 */
@Tag("postgresql")
class PausedTellerTest {
  private static PostgresServer server;

  @TempDir Path locks;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void create() throws SQLException {
    run("DROP TABLE IF EXISTS account; DROP SCHEMA IF EXISTS holdfast CASCADE; " + Bank.DDL);
  }

  @Test
  void a_lock_alone_loses_a_transfer() throws Exception {
    assertThat(tellersInTurn(Protection.NONE)).isEqualTo("moved");
    assertThat(balances()).isEqualTo(new Bank.Balances(99, 101));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void a_guard_refuses_the_teller_that_was_paused(Protection protection) throws Exception {
    run(protection.ddl());
    assertThat(tellersInTurn(protection)).startsWith("refused: ");
    assertThat(balances()).isEqualTo(new Bank.Balances(90, 110));
  }

  /** The first moves 1 and is paused while the second moves 10; what the first says at the end. */
  private String tellersInTurn(Protection protection) throws Exception {
    try (TellerProcess first = teller(protection, 1, Duration.ofSeconds(2));
        Holdfast operator = Holdfast.connect("file:" + locks)) {
      assertThat(first.says()).isEqualTo("read");
      Stopping.outsideOfMutex(locks, () -> first.signal("STOP"), () -> first.signal("CONT"));
      FencingToken token = operator.inspect("accounts").holders().get(0).token().orElseThrow();
      assertThat(operator.forceRelease("accounts", token, "its holder is paused")).isTrue();
      try (TellerProcess second = teller(protection, 10, Duration.ofMinutes(1))) {
        assertThat(second.says()).isEqualTo("read");
        second.goOn();
        assertThat(second.says()).isEqualTo("moved");
      }
      first.signal("CONT");
      first.goOn();
      return first.says();
    }
  }

  private TellerProcess teller(Protection protection, long amount, Duration idle) {
    return new TellerProcess(
        "file:" + locks,
        server.jdbcUrl(),
        protection.name(),
        Long.toString(amount),
        idle.toString());
  }

  private static Bank.Balances balances() throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
      return Bank.read(connection);
    }
  }

  private static void run(String statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute(statements);
    }
  }
}
