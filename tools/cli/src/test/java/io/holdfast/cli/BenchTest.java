// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.RedisServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A quick load, and what it cost. */
class BenchTest extends LookingCases {
  @Test
  @Tag("file")
  void a_bench_shows_percentiles_and_requests() {
    Answer bench = ask("file:" + directory.resolve("locks"), "bench", "--time", "400ms");
    assertThat(bench.code()).isZero();
    assertThat(bench.output()).contains("P50", "P99", "REQUESTS/LOCK", "one lock for all");
    assertThat(bench.output().lines().skip(1)).hasSize(2).allMatch(row -> row.endsWith("  -"));
  }

  @Test
  @Tag("redis")
  void a_bench_shows_what_the_server_executed() {
    try (RedisServer server = RedisServer.start()) {
      Answer bench =
          ask("redis://" + server.hostAndPort() + PATIENT, "bench", "--time", "1s", "--json");
      assertThat(bench.code()).isZero();
      Matcher each = Pattern.compile("\"commandsPerLock\":([0-9.]+)").matcher(bench.output());
      assertThat(each.results().map(found -> Double.valueOf(found.group(1))))
          .hasSize(2)
          // At least one to acquire and one to release; requests of the same moment share the rest.
          .allMatch(commands -> commands >= 2 && commands < 100);
    }
  }

  @Test
  @Tag("postgresql")
  void a_bench_counts_the_statements_of_postgresql_if_that_does() throws Exception {
    try (PostgresServer server =
        PostgresServer.start("shared_preload_libraries=pg_stat_statements")) {
      String url = "postgresql://postgres@" + server.hostAndPort() + "/postgres";
      assertThat(ask(url, "bench", "--time", "400ms").output().lines().skip(1))
          .hasSize(2)
          .allMatch(row -> row.endsWith("  -"));
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE EXTENSION pg_stat_statements");
      }
      assertThat(ask(url, "bench", "--time", "400ms").output().lines().skip(1))
          .hasSize(2)
          .allMatch(row -> row.matches(".*  [0-9.]+"));
    }
  }
}
