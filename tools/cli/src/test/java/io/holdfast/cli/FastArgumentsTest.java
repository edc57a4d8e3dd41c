// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The quick reader of arguments and picocli agree. */
class FastArgumentsTest {
  private static final Map<Class<?>, String> VALUES =
      Map.of(
          int.class, "7",
          Integer.class, "2",
          java.time.Duration.class, "90s",
          HoldOptions.OnLost.class, "warn",
          String.class, "some text",
          java.nio.file.Path.class, "/etc/secret");

  /** Each option of both commands, by each of its names, with a value that is not its default. */
  static Stream<List<String>> options() {
    List<List<String>> lines = new ArrayList<>();
    for (String command : List.of("run", "elect")) {
      CommandLine line = Objects.requireNonNull(Main.commandLine().getSubcommands().get(command));
      for (OptionSpec option : line.getCommandSpec().options()) {
        if (!option.usageHelp() && !option.longestName().equals("--log") && !option.hidden()) {
          for (String name : option.names()) {
            String value = VALUES.get(option.type());
            List<String> words = new ArrayList<>(List.of(command, "a", name));
            if (option.arity().max() > 0) {
              words.add(String.valueOf(value));
            }
            words.addAll(List.of("--", "echo", "-n", "--url"));
            lines.add(words);
          }
        }
      }
    }
    return lines.stream();
  }

  @ParameterizedTest
  @MethodSource("options")
  void both_set_the_same_fields(List<String> arguments) {
    Callable<Integer> fast = FastArguments.read(arguments);
    assertThat(fast).as("read without picocli").isNotNull();
    Object slow =
        Main.commandLine()
            .parseArgs(arguments.toArray(String[]::new))
            .subcommand()
            .commandSpec()
            .userObject();
    assertThat(fast)
        .usingRecursiveComparison()
        .ignoringFieldsMatchingRegexes(".*screen.*")
        .isEqualTo(slow);
    assertThat(fast)
        .usingRecursiveComparison()
        .ignoringFieldsMatchingRegexes(".*screen.*")
        .isNotEqualTo(
            FastArguments.read(List.of(arguments.get(0), "a", "--", "echo", "-n", "--url")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "run a",
        "run -- true",
        "run --help -- true",
        "run a b -- true",
        "run a --wait -- true",
        "run a --wait -n -- true",
        "run a --wait soon -- true",
        "run a --wait=3s -- true",
        "run a -nw3 -- true",
        "run a --permits many -- true",
        "run a --on-lost maybe -- true",
        "run a --log debug -- true",
        "run a --lease 3s -- true",
        "elect a -E 3 -- true",
        "list a -- true"
      })
  void what_is_wrong_or_unusual_is_left_to_picocli(String line) {
    assertThat(FastArguments.read(List.of(line.split(" ", -1)))).isNull();
  }

  @Test
  void a_name_may_come_after_the_options() {
    assertThat(FastArguments.read(List.of("run", "-n", "a", "--", "true"))).isNotNull();
  }
}
