// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The header of each script says what it takes and replies, and says it truly. */
@Tag("redis")
class ScriptHeadersTest {
  private static final Pattern ARGUMENT = Pattern.compile("(KEYS|ARGV)\\[[^\\]]+\\]");

  @ParameterizedTest(name = "{0}")
  @EnumSource(Script.class)
  void a_header_names_every_key_and_argument_that_the_script_uses(Script script) {
    String text = Script.read(script.file());
    assertThat(arguments(header(text))).containsAll(used(text));
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Script.class)
  void a_header_names_no_argument_that_the_script_does_not_use(Script script) {
    String text = Script.read(script.file());
    for (String named : arguments(header(text))) {
      boolean ofThePrologue =
          named.equals("KEYS[1..6]") && script.source().length() > text.length();
      assertThat(ofThePrologue || used(text).contains(named)).as(named).isTrue();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Script.class)
  void a_header_says_what_the_script_does_and_replies(Script script) {
    String header = header(Script.read(script.file()));
    assertThat(header).startsWith("-- ").contains("\n-- Reply {");
    assertThat(header.lines()).allMatch(line -> line.length() <= 120);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Script.class)
  void data_is_in_keys_and_arguments_only_so_that_the_script_is_a_constant(Script script) {
    assertThat(script.source()).doesNotContain("%s").doesNotContain("${");
  }

  private static String header(String text) {
    return text.lines().takeWhile(line -> line.startsWith("--")).collect(Collectors.joining("\n"));
  }

  private static String code(String text) {
    return text.lines().filter(line -> !line.startsWith("--")).collect(Collectors.joining("\n"));
  }

  private static Set<String> arguments(String text) {
    return ARGUMENT
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** As headers write them: without blanks, and with the n-th instead of the i-th. */
  private static Set<String> used(String text) {
    return arguments(code(text).replaceAll("(\\d) \\* i", "$1n").replaceAll("\\bi\\]", "n]"))
        .stream()
        .map(argument -> argument.replace(" ", ""))
        .collect(Collectors.toSet());
  }
}
