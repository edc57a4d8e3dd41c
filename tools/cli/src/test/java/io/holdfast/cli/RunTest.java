// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code holdfast run}, beside {@code flock} where there is something to compare. */
@Tag("file")
class RunTest {
  private static final String TRAPS =
      """
      for signal in HUP INT QUIT USR1 USR2 ALRM TERM WINCH CONT URG PROF; do
        trap "echo got $signal" $signal
      done
      echo ready
      exec {never}<> <(:)
      until read -r -t 0.05 -u "$never"; do [ ! -e "$0" ] || exit 9; done
      """;

  @TempDir private Path directory;

  private Launched run(String... arguments) {
    return Launched.holdfast(
        Stream.concat(Stream.of("run", "--url", "file:" + directory), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private Launched flock(String... arguments) {
    return Launched.program(
        Stream.concat(Stream.of("flock"), Stream.of(arguments)).toArray(String[]::new));
  }

  static Stream<List<String>> commands() {
    return Stream.of(
        List.of("true"),
        List.of("false"),
        List.of("sh", "-c", "exit 7"),
        List.of("sh", "-c", "exit 255"),
        List.of("sh", "-c", "kill -TERM $$"),
        List.of("sh", "-c", "kill -KILL $$"),
        List.of("sh", "-c", "kill -USR1 $$"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void passes_on_the_exit_code_that_flock_passes_on(List<String> command) {
    String file = directory.resolve("flock").toString();
    try (Launched flock =
            flock(Stream.concat(Stream.of(file), command.stream()).toArray(String[]::new));
        Launched ours =
            run(Stream.concat(Stream.of("a", "--"), command.stream()).toArray(String[]::new))) {
      assertThat(ours.exitCode()).isEqualTo(flock.exitCode());
    }
  }

  @Nested
  class WhenSomebodyElseHoldsTheLock {

    @Test
    void it_ends_as_flock_does() {
      String file = directory.resolve("flock").toString();
      try (Launched theirs = flock(file, "sh", "-c", "echo in; cat >/dev/null");
          Launched ours = run("a", "--", "sh", "-c", "echo in; cat >/dev/null")) {
        theirs.awaitOutput("in");
        ours.awaitOutput("in");
        assertThat(exitCode(run("a", "-n", "--", "true")))
            .isEqualTo(exitCode(flock("-n", file, "true")));
        assertThat(exitCode(run("a", "-w", "0.2", "--", "true")))
            .isEqualTo(exitCode(flock("-w", "0.2", file, "true")));
        assertThat(exitCode(run("a", "-n", "-E", "42", "--", "true")))
            .isEqualTo(exitCode(flock("-n", "-E", "42", file, "true")));
        try (Launched refused = run("a", "-n", "--", "true")) {
          refused.exitCode();
          assertThat(refused.errors().lines())
              .singleElement()
              .asString()
              .contains("is held by holdfast@", "(sh)", "holdfast inspect a");
          assertThat(refused.output()).isEmpty();
        }
        ours.input("");
        assertThat(ours.exitCode()).isZero();
      }
    }

    private static int exitCode(Launched launched) {
      try (launched) {
        return launched.exitCode();
      }
    }

    @Test
    void it_leaves_the_queue_when_it_is_interrupted() {
      try (Launched holder = run("a", "--", "sh", "-c", "echo in; cat >/dev/null");
          Launched waiter = waiterBehind(holder)) {
        waiter.signal("INT");
        assertThat(waiter.exitCode()).isEqualTo(128 + 2);
        assertThat(inspected()).contains("\"waiters\":[]");
        holder.input("");
        assertThat(holder.exitCode()).isZero();
      }
    }

    private Launched waiterBehind(Launched holder) {
      holder.awaitOutput("in");
      Launched waiter = run("a", "--", "echo", "never");
      Eventually.until("it waits", () -> !inspected().contains("\"waiters\":[]"));
      return waiter;
    }

    private String inspected() {
      try (Launched inspect =
          Launched.holdfast("inspect", "a", "--json", "--url", "file:" + directory)) {
        inspect.exitCode();
        return inspect.output();
      }
    }

    @Test
    void those_who_share_it_run_together_and_a_semaphore_has_so_many() {
      try (Launched reader = run("a", "--shared", "--", "sh", "-c", "echo in; cat >/dev/null");
          Launched permit =
              run("b", "--permits", "2", "--", "sh", "-c", "echo in; cat >/dev/null")) {
        reader.awaitOutput("in");
        permit.awaitOutput("in");
        assertThat(exitCode(run("a", "--shared", "-n", "--", "true"))).isZero();
        assertThat(exitCode(run("b", "--permits", "2", "-n", "--", "true"))).isZero();
        assertThat(exitCode(run("a", "-n", "--", "true"))).isEqualTo(ExitCode.NO);
      }
    }
  }

  @Nested
  class TheCommand {

    @Test
    void has_its_arguments_as_they_are_and_our_standard_streams() {
      try (Launched run = run("a", "--", "printf", "%s|", "a b", "$HOME", "*", "--", "-n")) {
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).isEqualTo("a b|$HOME|*|--|-n|");
        assertThat(run.errors()).isEmpty();
      }
      try (Launched run = run("a", "--", "sh", "-c", "cat; echo problem >&2").input("hello\n")) {
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).isEqualTo("hello\n");
        assertThat(run.errors()).isEqualTo("problem\n");
      }
    }

    @Test
    void knows_its_token_its_lock_and_its_holder() {
      try (Launched run =
          run(
              " my lock ",
              "--",
              "sh",
              "-c",
              "echo \"$HOLDFAST_TOKEN/$HOLDFAST_NAME/$HOLDFAST_HOLDER\"")) {
        assertThat(run.exitCode()).isZero();
        assertThat(run.output().strip()).matches("[1-9][0-9]*/ my lock /[a-z0-9]+-[1-9][0-9]*");
      }
    }

    @Test
    void is_in_a_group_of_its_own() {
      try (Launched run =
          run(
              "a",
              "--",
              "bash",
              "-c",
              "read -r s </proc/$$/stat; set -- ${s##*)}; echo $(($3 == $$))")) {
        assertThat(run.exitCode()).isZero();
        assertThat(run.output().strip()).isEqualTo("1");
      }
    }

    @Test
    void has_no_descriptors_of_ours() {
      try (Launched run = run("a", "--", "ls", "/proc/self/fd")) {
        assertThat(run.exitCode()).isZero();
        // Three standard streams, and the directory that it lists.
        assertThat(run.output().lines()).containsExactly("0", "1", "2", "3");
      }
    }

    @Test
    void gets_every_signal_that_holdfast_gets() {
      Path end = directory.resolve("end");
      try (Launched run = run("a", "--", "bash", "-c", TRAPS, end.toString())) {
        run.awaitOutput("ready");
        // Not QUIT: a JVM blocks it in all that it starts, and this test is one.
        for (String signal :
            List.of("HUP", "INT", "USR1", "USR2", "ALRM", "TERM", "WINCH", "CONT", "URG")) {
          run.signal(signal);
          run.awaitOutput("got " + signal);
        }
        assertThat(end.toFile().mkdir()).isTrue();
        assertThat(run.exitCode()).isEqualTo(9);
      }
    }

    @Test
    void that_dies_of_a_forwarded_signal_gives_128_and_its_number() {
      try (Launched run = run("a", "--", "sh", "-c", "echo in; sleep 100")) {
        run.awaitOutput("in");
        run.signal("TERM");
        assertThat(run.exitCode()).isEqualTo(128 + 15);
      }
    }

    @Test
    void that_is_not_there_or_cannot_be_run_is_told_apart() {
      try (Launched missing = run("a", "--", "no-such-command")) {
        assertThat(missing.exitCode()).isEqualTo(127);
        assertThat(missing.errors()).contains("no-such-command");
      }
      try (Launched unfit = run("a", "--", Launched.script("worker.bash"))) {
        assertThat(unfit.exitCode()).isEqualTo(126);
      }
    }

    @Test
    void is_not_ended_but_its_exit_code_says_lost_if_that_is_the_policy() {
      try (Launched run =
          run("a", "--on-lost", "warn", "--", "sh", "-c", "echo in; cat >/dev/null; echo end")) {
        run.awaitOutput("in");
        Launched.signal("KILL", run.keeper());
        Eventually.until("it warns", () -> run.errors().contains("goes on"));
        run.input("");
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
        assertThat(run.output()).contains("end");
      }
    }

    @Test
    void that_lost_its_lock_is_told_of_in_json_if_that_was_asked_for() {
      try (Launched run = run("a", "--json", "--", "sh", "-c", "echo in; sleep 100")) {
        run.awaitOutput("in");
        Launched.signal("KILL", run.keeper());
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
        assertThat(run.errors().lines())
            .singleElement()
            .asString()
            .startsWith("{\"event\":\"lost\",\"message\":\"the process that kept the lock 'a'")
            .endsWith("}");
      }
    }

    @Test
    void that_takes_longer_than_the_longest_hold_is_ended() {
      try (Launched run =
          run(
              "a",
              "--max-hold",
              "1s",
              "--lease-time",
              "3s",
              "--grace",
              "200ms",
              "--",
              "sleep",
              "100")) {
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
      }
    }

    @Test
    void that_is_released_by_force_is_ended() {
      try (Launched run =
          run("a", "--grace", "1s", "--", "sh", "-c", "echo $HOLDFAST_TOKEN; sleep 100")) {
        Eventually.until("it runs", () -> run.output().endsWith("\n"));
        try (Launched force =
            Launched.holdfast(
                java.util.Map.of("HOLDFAST_AUDIT", directory.resolve("audit").toString()),
                "force-release",
                "a",
                "--url",
                "file:" + directory,
                "--token",
                run.output().strip(),
                "--reason",
                "testing",
                "--yes")) {
          assertThat(force.exitCode()).isZero();
        }
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
        assertThat(run.errors()).contains("forced");
        assertThat(directory.resolve("audit")).content().contains("force-release done", "testing");
      }
    }
  }

  @Nested
  class WrongUsage {
    @Test
    void is_one_line_with_the_next_step() {
      for (Launched wrong :
          List.of(
              run("a"),
              run("a", "--"),
              run("a", "--lease-time", "3s", "--", "true"),
              run("a", "-n", "-w", "1s", "--", "true"),
              run("a", "b", "--", "true"),
              run("--", "true"),
              run("a", "--permits", "0", "--", "true"),
              run("a", "--unknown", "--", "true"))) {
        try (wrong) {
          assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
          assertThat(wrong.errors().lines())
              .singleElement()
              .asString()
              .contains("holdfast run --help");
        }
      }
    }

    @Test
    void is_a_line_of_json_if_that_was_asked_for() {
      for (Launched wrong :
          List.of(
              run("a", "--json", "--unknown", "--", "true"),
              run("a", "--json", "--", "no such \"command\""))) {
        try (wrong) {
          wrong.exitCode();
          assertThat(wrong.errors().lines())
              .singleElement()
              .asString()
              .matches("\\{\"event\":\"usage\",\"message\":\"([^\"\\\\]|\\\\\")+\"}");
        }
      }
    }

    @Test
    void is_to_hold_a_lock_that_nobody_else_could_see() {
      try (Launched run = Launched.holdfast("run", "a", "--url", "memory:", "--", "true")) {
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      }
    }

    @Test
    void a_store_that_cannot_be_reached_has_its_own_exit_code_and_its_password_stays_secret() {
      try (Launched run =
          Launched.holdfast("run", "a", "--url", "redis://u:hunter2@127.0.0.1:1", "--", "true")) {
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(run.errors()).contains("127.0.0.1:1").doesNotContain("hunter2");
      }
    }
  }
}
