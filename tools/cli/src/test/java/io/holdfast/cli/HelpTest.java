// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
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
    Completions completions = new Completions(Main.commandLine());
    for (String script : List.of(completions.bash(), completions.zsh(), completions.fish())) {
      assertThat(script).contains("force-release", "lease-time", "inspect", "ls --names");
    }
  }

  @Test
  void every_command_has_a_manual_page() {
    Main.commandLine()
        .getSubcommands()
        .values()
        .forEach(
            command ->
                assertThat(ManPages.page(command, "1.0"))
                    .contains(".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES"));
  }

  @Test
  void addresses_are_read_as_other_tools_write_them() {
    assertThat(StoreUrl.of("postgres://u:p@h:1/d")).isEqualTo("postgresql://u:p@h:1/d");
    assertThat(StoreUrl.of("jdbc:postgresql://h:1/d?user=u&password=p%40q&mode=lease"))
        .isEqualTo("postgresql://u:p%40q@h:1/d?mode=lease");
    assertThat(StoreUrl.of("jdbc:postgresql:d")).isEqualTo("postgresql://localhost/d");
    assertThat(StoreUrl.of("redis://h")).isEqualTo("redis://h");
  }

  @Test
  void a_table_fits_into_the_width() {
    List<List<String>> rows =
        List.of(List.of("NAME", "PURPOSE"), List.of("a".repeat(50), "b".repeat(20)));
    assertThat(TableLayout.lines(rows, 40))
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(40))
        .last()
        .asString()
        .contains("aaa…", "bbb");
    assertThat(TableLayout.lines(rows, 200)).last().asString().hasSize(72);
    assertThat(TerminalSize.parse("50 132\n")).isEqualTo(new TerminalSize(50, 132));
    assertThat(TerminalSize.parse("0 0\n")).isEqualTo(new TerminalSize(24, 80));
  }

  @Test
  void times_are_read_as_people_write_them() {
    TimeText text = new TimeText();
    assertThat(text.convert("500ms")).isEqualTo(Duration.ofMillis(500));
    assertThat(text.convert("1.5s")).isEqualTo(Duration.ofMillis(1500));
    assertThat(text.convert("0.2")).isEqualTo(Duration.ofMillis(200));
    assertThat(text.convert("2m")).isEqualTo(Duration.ofMinutes(2));
    assertThat(text.convert("PT3S")).isEqualTo(Duration.ofSeconds(3));
    assertThat(text.convert("1h30m")).isEqualTo(Duration.ofMinutes(90));
    assertThat(text.convert("5min")).isEqualTo(Duration.ofMinutes(5));
    assertThat(text.convert("1m 1.5s")).isEqualTo(Duration.ofMillis(61_500));
    assertThatThrownBy(() -> text.convert("30m1h")).hasMessageContaining("not a time");
    assertThatThrownBy(() -> text.convert("5 m 5")).hasMessageContaining("not a time");
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
