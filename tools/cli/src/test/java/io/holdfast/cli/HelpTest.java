// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** What needs no process of its own. */
class HelpTest {

  @Test
  void examples_come_first_in_every_help_text() {
    CommandLine line = Main.commandLine();
    assertThat(line.getUsageMessage()).startsWith("Examples:");
    assertThat(line.getSubcommands().values())
        .hasSizeGreaterThan(10)
        .allSatisfy(command -> assertThat(command.getUsageMessage()).startsWith("Examples:"));
  }

  @Test
  void every_command_is_in_the_documentation() throws Exception {
    String page = Files.readString(Path.of("../../docs/cli.md"));
    assertThat(Main.commandLine().getSubcommands().keySet())
        .filteredOn(name -> !List.of("ls", "show").contains(name))
        .allSatisfy(name -> assertThat(page).contains("holdfast " + name));
  }

  @Test
  void completion_knows_all_commands() {
    assertThat(AutoComplete.bash("holdfast", Main.commandLine()))
        .contains("force-release", "--lease-time", "inspect");
  }

  @Test
  void times_are_read_as_people_write_them() {
    TimeText text = new TimeText();
    assertThat(text.convert("500ms")).isEqualTo(Duration.ofMillis(500));
    assertThat(text.convert("1.5s")).isEqualTo(Duration.ofMillis(1500));
    assertThat(text.convert("0.2")).isEqualTo(Duration.ofMillis(200));
    assertThat(text.convert("2m")).isEqualTo(Duration.ofMinutes(2));
    assertThat(text.convert("PT3S")).isEqualTo(Duration.ofSeconds(3));
    assertThatThrownBy(() -> text.convert("soon"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("not a time");
  }

  @Test
  void json_is_escaped() {
    assertThat(Json.text(Json.object("a", "\"\\\n\u0001", "b", List.of(1, 2), "c", null)))
        .isEqualTo("{\"a\":\"\\\"\\\\\\n\\u0001\",\"b\":[1,2],\"c\":null}");
  }
}
