// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that look at locks, on every backend. */
class LookingTest {
  /** A busy machine may take longer than a second to load a client and to connect. */
  private static final String PATIENT = "?timeout=4s";

  @TempDir private Path directory;

  private record Answer(int code, String output, String errors) {}

  private Answer ask(String url, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url", url));
    Map<String, String> environment =
        Map.of("HOLDFAST_AUDIT", directory.resolve("audit").toString());
    try (Launched launched = Launched.holdfast(environment, all.toArray(String[]::new))) {
      launched.input("y\n");
      return new Answer(launched.exitCode(), launched.output(), launched.errors());
    }
  }

  @Test
  @Tag("file")
  void files_are_looked_at() {
    looks("file:" + directory.resolve("locks"));
  }

  @Test
  @Tag("redis")
  void redis_is_looked_at() {
    try (RedisServer server = RedisServer.start()) {
      String url = "redis://" + server.hostAndPort() + PATIENT;
      looks(url);
      Answer doctor = ask(url, "doctor");
      assertThat(doctor.output())
          .contains("clock offset", "persistence", "eviction policy", "replicas", "permissions")
          .contains("→ set 'appendonly yes'");
      assertThat(ask(url, "schema").output())
          .contains("ACL SETUSER holdfast >PASSWORD on")
          .contains("+evalsha");
    }
  }

  @Test
  @Tag("redis")
  void a_primary_that_a_sentinel_names_is_looked_at() {
    try (RedisServer primary = RedisServer.start();
        RedisServer sentinel =
            RedisServer.startSentinel(
                List.of("sentinel monitor mymaster 127.0.0.1 " + primary.port() + " 1"))) {
      looks("redis-sentinel://" + sentinel.hostAndPort() + "/mymaster" + PATIENT);
    }
  }

  @Test
  @Tag("redis")
  void a_cluster_is_looked_at() {
    try (RedisServer node =
        RedisServer.start("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf")) {
      List<String> slots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = 0; slot < 16_384; slot++) {
        slots.add(Integer.toString(slot));
      }
      node.call(slots.toArray(String[]::new));
      Eventually.until(
          "the cluster is up",
          () -> node.call("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
      looks("redis-cluster://" + node.hostAndPort() + PATIENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "advisory"})
  @Tag("postgresql")
  void postgresql_is_looked_at(String mode) {
    try (PostgresServer server = PostgresServer.start()) {
      String url = "postgresql://postgres@" + server.hostAndPort() + "/postgres?mode=" + mode;
      looks(url);
      assertThat(ask(url, "doctor").output())
          .contains("PostgreSQL", "clock offset", "replicas", "connections", "permissions")
          .contains("→ a crash may forget a lock"); // The server of the tests does not sync.
      assertThat(ask(url, "schema").output()).contains("CREATE SCHEMA IF NOT EXISTS holdfast");
    }
  }

  @Test
  @Tag("quorum")
  void a_quorum_is_looked_at() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      looks(quorum(",?founding=at-once", a, b, c));
    }
  }

  private static String quorum(String parameters, RedisServer... nodes) {
    return "quorum:"
        + Stream.of(nodes)
            .map(server -> "redis://" + server.hostAndPort())
            .collect(Collectors.joining(",", "", parameters));
  }

  @Test
  @Tag("quorum")
  void a_quorum_that_rests_is_no_riddle() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      String url = quorum("", a, b, c);
      try (Launched run = Launched.holdfast("run", "a", "--url", url, "--", "true")) {
        Eventually.until("it says why it waits", () -> run.errors().contains("rest"));
        try (Launched hasty = Launched.holdfast("run", "a", "-n", "--url", url, "--", "true")) {
          assertThat(hasty.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
          assertThat(hasty.errors()).contains("rests for another");
        }
        Answer doctor = ask(url, "doctor");
        assertThat(doctor.code()).isEqualTo(ExitCode.NO);
        assertThat(doctor.output()).contains("locking", "rests for another", "look again");
        run.signal("INT");
        assertThat(run.exitCode()).isEqualTo(128 + 2);
      }
    }
  }

  private void looks(String url) {
    try (Launched holder =
            Launched.holdfast(
                "run",
                "a:1",
                "--url",
                url,
                "--purpose",
                "testing",
                "--",
                "sh",
                "-c",
                "echo $HOLDFAST_TOKEN; cat >/dev/null");
        Launched watch = Launched.holdfast("watch", "--url", url, "--every", "100ms")) {
      Eventually.until(
          "it holds; it said " + holder.errors(), () -> holder.output().endsWith("\n"));
      String token = holder.output().strip();
      watch.awaitOutput("a:1  held by holdfast@");

      assertThat(ask(url, "ls").output()).contains("NAME", "a:1", "testing", token);
      assertThat(ask(url, "ls", "b", "--json").output().strip()).isEqualTo("[]");
      Answer shown = ask(url, "inspect", "a:1");
      assertThat(shown.code()).isZero();
      assertThat(shown.output()).contains("host", "pid", "testing", "since", "remaining", token);
      assertThat(ask(url, "inspect", "free").code()).isEqualTo(ExitCode.NO);
      assertThat(ask(url, "doctor").code()).isZero();
      assertThat(ask(url, "guarantees").output()).contains("two holders possible when");

      assertThat(ask(url, "force-release", "a:1", "--token", "1", "--reason", "why").code())
          .isEqualTo(ExitCode.NO);
      Answer forced = ask(url, "force-release", "a:1", "--token", token, "--reason", "why");
      assertThat(forced.code()).isZero();
      assertThat(forced.errors()).contains("[y/N]");
      assertThat(directory.resolve("audit")).content().contains("force-release done", token, "why");
      watch.awaitOutput("a:1  free");
      assertThat(holder.exitCode()).isEqualTo(ExitCode.LOST);
    }
  }

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
          // At least a script to acquire and one to release, and what they call.
          .allMatch(commands -> commands > 4 && commands < 100);
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

  @Test
  @Tag("file")
  void a_leader_that_loses_its_lead_stands_again() {
    String url = "file:" + directory.resolve("locks");
    try (Launched elect =
        Launched.holdfast(
            "elect",
            "leader",
            "--url",
            url,
            "--grace",
            "200ms",
            "--lease-time",
            "2s",
            "--",
            "sh",
            "-c",
            "echo term; exec cat")) {
      elect.awaitOutput("term");
      Launched.signal("KILL", elect.keeper());
      elect.awaitOutput("term\nterm");
      assertThat(elect.errors()).contains("standing for election again");
      elect.signal("TERM");
      assertThat(elect.exitCode()).isEqualTo(128 + 15);
    }
  }

  @Test
  void a_store_that_is_not_there_is_bad_and_its_password_stays_secret() throws Exception {
    Path secret = Files.writeString(directory.resolve("password"), "hunter2\n");
    Answer doctor = ask("redis://127.0.0.1:1", "doctor", "--password-file", secret.toString());
    assertThat(doctor.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(doctor.output()).contains("bad", "reachability").doesNotContain("hunter2");
    assertThat(Common.withPassword("redis://user@host:1/0", "a/b@c"))
        .isEqualTo("redis://user:a%2Fb%40c@host:1/0");
  }
}
