// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is different on a terminal: a real one, which {@code script(1)} makes. */
@Tag("file")
class TerminalTest {
  private static final String CLEAR = "\u001b[H\u001b[2J";

  @TempDir private Path directory;

  private String url() {
    return "file:" + directory.resolve("locks");
  }

  private String holdfast(String arguments) {
    return "bash '%s' %s --url '%s'".formatted(Launched.script("launch.bash"), arguments, url());
  }

  private Launched onTerminal(String line) {
    return Launched.program("script", "-qec", line, "/dev/null");
  }

  private Launched run(String command) {
    return onTerminal(holdfast("run a") + " -- " + command);
  }

  private Launched holder() {
    Launched holder =
        Launched.holdfast("run", "a", "--url", url(), "--", "sh", "-c", "echo in; cat >/dev/null");
    holder.awaitOutput("in");
    return holder;
  }

  @Test
  void the_command_reads_what_is_typed() {
    try (Launched run = run("sh -c 'echo ready; read -r word; echo \"<$word>\"'")) {
      run.awaitOutput("ready");
      run.type("hello\n");
      run.awaitOutput("<hello>");
      assertThat(run.exitCode()).isZero();
    }
  }

  /** A shell that just begins another program may lose the signal, so this one does not. */
  @Test
  void an_interrupt_that_is_typed_reaches_the_command() {
    try (Launched run = run("sh -c 'echo ready; read -r word'")) {
      run.awaitOutput("ready");
      run.type("\u0003");
      assertThat(run.exitCode()).isEqualTo(128 + 2);
    }
  }

  @Test
  void whoever_waits_is_told_for_whom_and_may_leave() {
    try (Launched holder = holder();
        Launched waiter = run("echo never")) {
      waiter.awaitOutput("waiting: lock 'a' is held by holdfast@");
      assertThat(waiter.output()).contains("(sh)", "see 'holdfast inspect a'");
      waiter.type("\u0003");
      assertThat(waiter.exitCode()).isEqualTo(128 + 2);
      holder.input("");
      assertThat(holder.exitCode()).isZero();
    }
  }

  @Test
  void whoever_waits_is_told_nothing_where_nobody_reads_it() {
    try (Launched holder = holder();
        Launched silent = Launched.holdfast("run", "a", "--url", url(), "--", "true");
        Launched script = Launched.holdfast("run", "a", "--json", "--url", url(), "--", "true")) {
      Eventually.until(
          "the script is told", () -> script.errors().contains("{\"event\":\"waiting\""));
      holder.input("");
      assertThat(silent.exitCode()).isZero();
      assertThat(script.exitCode()).isZero();
      assertThat(silent.errors()).isEmpty();
    }
  }

  @Test
  void a_table_of_locks_is_kept_up_to_date() {
    try (Launched watch = onTerminal(holdfast("watch --every 100ms"));
        Launched holder = holder()) {
      Eventually.until("it is held", () -> screen(watch).contains("holdfast@"));
      assertThat(screen(watch)).contains("NAME", "HOLDER", "REMAINING", "exclusive");
      holder.input("");
      assertThat(holder.exitCode()).isZero();
      Eventually.until("it is free", () -> !screen(watch).contains("holdfast@"));
      watch.type("\u0003");
      assertThat(watch.exitCode()).isEqualTo(128 + 2);
    }
  }

  /** What is on it now: the last that was drawn completely. */
  private static String screen(Launched watch) {
    String[] screens = watch.output().split(Pattern.quote(CLEAR), -1);
    return screens.length < 3 ? "" : screens[screens.length - 2];
  }

  @Test
  void colours_are_for_terminals_and_for_who_wants_them() {
    try (Launched coloured = onTerminal("TERM=xterm " + holdfast("guarantees"));
        Launched plain = onTerminal("NO_COLOR=1 TERM=xterm " + holdfast("guarantees"));
        Launched piped = Launched.holdfast("guarantees", "--url", url())) {
      assertThat(coloured.exitCode()).isZero();
      assertThat(plain.exitCode()).isZero();
      assertThat(piped.exitCode()).isZero();
      assertThat(coloured.output()).contains("\u001b[");
      assertThat(plain.output()).contains("one holder").doesNotContain("\u001b[");
      assertThat(piped.output()).contains("one holder").doesNotContain("\u001b[");
    }
  }
}
