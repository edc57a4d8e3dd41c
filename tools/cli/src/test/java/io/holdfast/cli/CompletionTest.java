// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Completion, in a real bash, which asks as it does when somebody presses the tabulator. */
class CompletionTest {
  private static final String ASK =
      """
      source <(bash "$0" completion)
      launcher() { bash "$launch" "$@"; }
      export -f launcher
      export launch=$0
      # For the script's time-out, which starts a program.
      timeout() { shift; "$@"; }
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
      COMP_POINT=${#COMP_LINE}
      function=$(complete -p holdfast | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
      "$function" holdfast "${@: -1}"
      printf '%s\n' "${COMPREPLY[@]}"
      """;

  static Stream<Arguments> words() {
    return Stream.of(
        Arguments.of("holdfast ins", "inspect"),
        Arguments.of("holdfast f", "force-release"),
        Arguments.of("holdfast run --lea", "--lease-time"),
        Arguments.of("holdfast watch --ev", "--every"));
  }

  @ParameterizedTest
  @MethodSource("words")
  void knows_commands_and_their_options(String typed, String completed) {
    assertThat(completions(typed).map(String::strip)).contains(completed);
  }

  private static Stream<String> completions(String typed) {
    String[] command =
        Stream.concat(
                Stream.of("bash", "-c", ASK, Launched.script("launch.bash")),
                Stream.of(typed.split(" ", -1)))
            .toArray(String[]::new);
    try (Launched bash = Launched.program(command)) {
      bash.exitCode();
      return bash.output().lines();
    }
  }

  /** The script calls the command by its name: here that is a function. */
  @Test
  void knows_the_names_of_locks_in_the_store(@TempDir Path directory) {
    String url = "file:" + directory.resolve("locks");
    try (Launched holder =
        Launched.holdfast(
            "run", "nightly report", "--url", url, "--", "sh", "-c", "echo on; cat")) {
      holder.awaitOutput("on");
      Eventually.until(
          "its name is completed",
          () ->
              completions("launcher inspect --url " + url + " nig")
                  .anyMatch("nightly\\ report"::equals));
      assertThat(completions("launcher inspect --url " + url + " x")).noneMatch(n -> !n.isBlank());
      assertThat(completions("launcher run a -- tru")).contains("true");
    }
  }
}
