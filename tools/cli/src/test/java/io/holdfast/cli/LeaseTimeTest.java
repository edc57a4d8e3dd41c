// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store that keeps no lease for the default of 30 s: here sessions are as long as leases. */
@Tag("postgresql")
class LeaseTimeTest {
  private static void run(String session, String grace, int code, String said) {
    try (PostgresServer server = PostgresServer.start()) {
      String url =
          "postgresql://postgres@%s/postgres?timeout=4s&mode=advisory&session=%s"
              .formatted(server.hostAndPort(), session);
      try (Launched run =
          Launched.holdfast("run", "a", "--url", url, "--grace", grace, "--", "echo", "done")) {
        assertThat(run.exitCode()).describedAs(run.errors()).isEqualTo(code);
        assertThat(run.output() + run.errors()).contains(said);
      }
    }
  }

  @Test
  void the_default_is_brought_into_what_the_store_can_keep() {
    run("20s", "5s", 0, "done");
  }

  @Test
  void a_grace_that_does_not_fit_into_that_is_refused() {
    run("12s", "5s", ExitCode.USAGE, "a lease time of 12.0s is too short");
  }
}
