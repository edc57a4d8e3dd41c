// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Completion, in a real bash, which asks as it does when somebody presses the tabulator. */
class CompletionTest {
  private static final String ASK =
      """
      source <(bash "$0" completion)
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
    String[] command =
        Stream.concat(
                Stream.of("bash", "-c", ASK, Launched.script("launch.bash")),
                Stream.of(typed.split(" ", -1)))
            .toArray(String[]::new);
    try (Launched bash = Launched.program(command)) {
      bash.exitCode();
      assertThat(bash.output().lines().map(String::strip)).contains(completed);
    }
  }
}
