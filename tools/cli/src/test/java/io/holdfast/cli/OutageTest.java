// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store that is not there, and comes back. */
@Tag("redis")
class OutageTest {
  private final RedisServer server = RedisServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private String url() {
    return "redis://" + server.hostAndPort();
  }

  @Test
  void the_time_to_wait_covers_the_first_connection() {
    server.kill();
    try (Launched run =
        Launched.holdfast(
            "run", "a", "-w", "80s", "--json", "--url", url(), "--", "echo", "done")) {
      Eventually.until(
          "it waits for the store, or ends",
          () -> run.errors().contains("\"waiting\"") || !run.isAlive());
      server.launch();
      assertThat(run.exitCode()).describedAs(run.errors()).isZero();
      assertThat(run.output()).contains("done");
    }
  }

  @Test
  void a_server_that_is_slow_to_answer_is_tried_again() {
    server.pause();
    try (Launched run =
        Launched.holdfast("run", "a", "-n", "--json", "--url", url(), "--", "echo", "done")) {
      Eventually.until(
          "it waits for the store, or ends",
          () -> run.errors().contains("\"waiting\"") || !run.isAlive());
      server.resume();
      assertThat(run.exitCode()).describedAs(run.errors()).isZero();
    }
  }

  @Test
  void a_candidate_stands_again_when_the_store_is_back() {
    try (Launched elect =
        Launched.holdfast(
            "elect",
            "a",
            "--lease-time",
            "10s",
            "--grace",
            "1s",
            "--url",
            url() + "?timeout=4s",
            "--",
            "sh",
            "-c",
            "echo leads $HOLDFAST_TOKEN; sleep 1000")) {
      elect.awaitOutput("leads");
      server.kill();
      Eventually.until(
          "it waits for the store, or ends",
          () -> elect.errors().contains("waiting: ") || !elect.isAlive());
      assertThat(elect.isAlive()).as(elect.errors()).isTrue();
      server.launch();
      Eventually.until("it leads again", () -> elect.output().lines().count() == 2);
      elect.signal("TERM");
      assertThat(elect.exitCode()).isEqualTo(128 + 15);
    }
  }
}
