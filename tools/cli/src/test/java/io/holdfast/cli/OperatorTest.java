// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a person on call sees. */
@Tag("file")
class OperatorTest extends LookingCases {
  private String url() {
    return "file:" + directory.resolve("locks");
  }

  private Launched holder(String... options) {
    String[] all = new String[options.length + 7];
    System.arraycopy(new String[] {"run", "job", "--url", url()}, 0, all, 0, 4);
    System.arraycopy(options, 0, all, 4, options.length);
    System.arraycopy(new String[] {"--", "tail", "-f"}, 0, all, options.length + 4, 3);
    Launched holder = Launched.holdfast(all);
    Eventually.until(
        "it holds; it said " + holder.errors(),
        () -> ask(url(), "inspect", "job").output().contains("command"));
    return holder;
  }

  @Test
  void inspect_shows_the_command_its_user_and_whether_it_lives() {
    try (Launched holder = holder()) {
      String shown = ask(url(), "inspect", "job").output();
      assertThat(shown)
          .containsPattern("process +alive: process \\d+ of this machine")
          .containsPattern("command +\\S*tail -f, pid \\d+, user \\S+, since 20\\d\\d-");
      assertThat(ask(url(), "inspect", "job", "--json").output())
          .contains("\"process\":\"alive\"", "tail -f\"", "\"start\":\"20");
      Launched.signal("KILL", holder.keeper());
      holder.exitCode();
      assertThat(ask(url(), "inspect", "job").output())
          .containsPattern("process +gone: process \\d+ is gone");
    }
  }

  @Test
  void force_release_says_first_who_is_hurt_and_that_two_overlap() {
    try (Launched holder = holder()) {
      String json = ask(url(), "inspect", "job", "--json").output();
      String token = json.replaceFirst("(?s).*\"token\":(\\d+).*", "$1");
      Answer forced =
          ask(url(), "force-release", "job", "--token", token, "--reason", "test", "-y");
      assertThat(forced.code()).isZero();
      assertThat(forced.errors())
          .contains("job is held by holdfast@", "it runs", "tail -f")
          .contains("grace", "overlaps with the next holder", "is free in");
      assertThat(holder.exitCode()).isEqualTo(ExitCode.LOST);
    }
  }

  @Test
  void json_has_structured_modes_and_absolute_times() {
    try (Launched holder = holder("--permits", "3")) {
      assertThat(ask(url(), "ls", "--json").output())
          .contains("\"mode\":\"permits\",\"permits\":1,\"permitLimit\":3")
          .containsPattern("\"since\":\"20\\d\\d-[^\"]*Z\",\"until\":\"20\\d\\d-[^\"]*Z\"");
      assertThat(ask(url(), "ls", "--names").output()).isEqualTo("job\n");
      assertThat(holder.isAlive()).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "inspekt x, did you mean 'inspect'?",
    "list --jsno, did you mean '--json'?",
    "list --url reids://host, did you mean 'redis'?",
    "run x -c true, sh -c COMMAND",
    "run x -x -- true, leave it out"
  })
  void a_wrong_word_is_answered_by_the_right_one(String line, String answer) {
    try (Launched launched = Launched.holdfast(line.split(" ", -1))) {
      assertThat(launched.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(launched.errors()).contains(answer);
    }
  }

  @Test
  @Tag("redis")
  void doctor_does_not_blame_reachability_for_a_server_that_evicts() {
    try (RedisServer server = RedisServer.start("--maxmemory-policy", "allkeys-lru")) {
      Answer doctor = ask("redis://" + server.hostAndPort() + PATIENT, "doctor");
      assertThat(doctor.code()).isEqualTo(ExitCode.NO);
      assertThat(doctor.output()).contains("fitness", "allkeys-lru").doesNotContain("reachability");
    }
  }

  @Test
  void a_list_fits_the_terminal() {
    try (Launched holder = holder("--purpose", "long ".repeat(30))) {
      String command =
          "stty cols 60 rows 20; bash " + Launched.script("launch.bash") + " ls --url " + url();
      try (Launched terminal = Launched.program("script", "-qec", command, "/dev/null")) {
        assertThat(terminal.exitCode()).isZero();
        assertThat(terminal.output().lines().map(line -> line.replaceAll("\u001b\\[\\d+m|\r", "")))
            .hasSize(2)
            .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
      }
      assertThat(holder.isAlive()).isTrue();
    }
  }
}
