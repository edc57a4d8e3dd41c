// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that look at locks, on files and on PostgreSQL. */
class LookingTest extends LookingCases {
  @Test
  @Tag("file")
  void files_are_looked_at() {
    looks("file:" + directory.resolve("locks"));
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
