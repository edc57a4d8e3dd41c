// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code holdfast run} makes of its locale, its environment and its options. */
@Tag("file")
class SurroundingsTest {
  @TempDir private Path directory;

  private String url() {
    return "file:" + directory;
  }

  private Launched shell(String line) {
    return Launched.program(
        "bash",
        "-c",
        line.replace("HOLDFAST", "bash '" + Launched.script("launch.bash") + "'")
            .replace("URL", "'" + url() + "'"));
  }

  @Test
  void a_name_is_the_same_lock_in_every_locale() {
    try (Launched run =
        shell(
            "LC_ALL=C HOLDFAST run $'\\303\\251' --url URL --"
                + " env LC_ALL=C.UTF-8 HOLDFAST run $'\\303\\251' -n --url URL -- true")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.NO);
      assertThat(run.errors()).contains("is held by");
    }
  }

  @Test
  void a_name_that_is_not_utf_8_is_refused() {
    for (String locale : List.of("C", "C.UTF-8")) {
      try (Launched run = shell("LC_ALL=" + locale + " HOLDFAST run $'\\351' --url URL -- true")) {
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.errors()).contains("UTF-8");
      }
    }
  }

  @Test
  void the_command_has_the_environment_of_holdfast_but_not_its_password() {
    try (Launched run =
        Launched.holdfast(
            Map.of("HOLDFAST_PASSWORD", "secret", "OLDPWD", "/nowhere", "LC_ALL", "C"),
            "run",
            "a",
            "--url",
            url(),
            "--",
            "env")) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.output().lines())
          .contains("OLDPWD=/nowhere", "LC_ALL=C", "HOLDFAST_NAME=a")
          .noneMatch(line -> line.startsWith("HOLDFAST_PASSWORD"));
    }
  }

  @Test
  void options_that_make_no_sense_are_refused() {
    for (Launched wrong :
        List.of(
            Launched.holdfast("run", "a", "--log", "chatty", "--url", url(), "--", "true"),
            Launched.holdfast("elect", "a", "--permits", "2", "--url", url(), "--", "true"),
            Launched.holdfast("elect", "a", "--shared", "--url", url(), "--", "true"),
            shell("HOLDFAST run a --max-hold 1s --on-lost warn --url URL -- true"))) {
      try (wrong) {
        assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(wrong.errors().lines()).singleElement().asString().contains("--help'");
      }
    }
  }

  /** It writes why on stdout, where the keeper tells of the grant. */
  @Test
  void a_java_that_cannot_start_is_no_grant() {
    try (Launched run = withJava("-Xms64m -Xmx32m", "run")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(run.output()).isEmpty();
      assertThat(run.errors()).contains("Java ended before the lock was acquired", "heap size");
    }
  }

  @Test
  void what_java_says_itself_is_not_taken_for_the_grant() {
    try (Launched run = withJava("-XX:+PrintCommandLineFlags", "run")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
      assertThat(run.output()).isEqualTo("a\n");
      assertThat(run.errors()).doesNotContain("ending the command");
    }
  }

  /** Which is that of a lock that is lost. */
  @Test
  void a_leader_that_ends_by_itself_with_75_does_not_stand_again() {
    try (Launched elect = withJava("-Xmx64m", "elect")) {
      assertThat(elect.exitCode()).isEqualTo(ExitCode.LOST);
      assertThat(elect.output()).isEqualTo("a\n");
    }
  }

  private Launched withJava(String options, String verb) {
    return Launched.holdfast(
        Map.of("JAVA_TOOL_OPTIONS", options),
        verb,
        "a",
        "--url",
        url(),
        "--",
        "sh",
        "-c",
        "echo $HOLDFAST_NAME; exit 75");
  }

  @Test
  void a_watch_ends_when_its_output_is_not_read_any_more() {
    String until = "until [ -e \"$0\" ]; do sleep 0.05; done";
    Path end = directory.resolve("end");
    try (Launched holder = run("a", until, end.toString());
        Launched watch = shell("HOLDFAST watch --every 100ms --url URL | head -n 1")) {
      watch.awaitOutput("held by");
      assertThat(end.toFile().mkdir()).isTrue();
      assertThat(holder.exitCode()).isZero();
      assertThat(watch.exitCode()).isZero();
    }
  }

  /** With a lease time that is longer than the command. */
  @Test
  void the_longest_hold_ends_a_command_within_its_lease() {
    try (Launched run =
        Launched.holdfast("run", "a", "--max-hold", "1s", "--url", url(), "--", "sleep", "20")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
      assertThat(run.errors()).contains("--max-hold");
    }
  }

  @Test
  void what_the_command_left_behind_keeps_the_lock_unless_that_is_not_wanted() {
    String leaves = "(while [ ! -e \"$0\" ]; do sleep 0.05; done) & exit 3";
    String end = directory.resolve("end").toString();
    try (Launched kept = run("a", leaves, end);
        Launched closed = run("b", leaves, end, "--close")) {
      assertThat(closed.exitCode()).isEqualTo(3);
      try (Launched next = run("a", "true", end, "-n")) {
        assertThat(next.exitCode()).isEqualTo(ExitCode.NO);
      }
      assertThat(kept.isAlive()).isTrue();
      assertThat(Path.of(end).toFile().mkdir()).isTrue();
      assertThat(kept.exitCode()).isEqualTo(3);
    }
  }

  private Launched run(String name, String script, String argument, String... options) {
    String line =
        "HOLDFAST run %s %s --url URL -- sh -c 'echo in; %s' '%s'"
            .formatted(name, String.join(" ", options), script, argument);
    Launched run = shell(line);
    if (options.length == 0) {
      run.awaitOutput("in");
    }
    return run;
  }

  @Test
  void a_private_tmp_is_seen_in_the_list_of_mounts() {
    String other = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw";
    String own =
        "310 298 8:1 /tmp/systemd-private-0a1b-nightly.service-Xy/tmp /tmp rw shared:9 - ext4 /dev/sda1 rw";
    assertThat(PrivateTmp.isIn(List.of(other, own))).isTrue();
    assertThat(PrivateTmp.isIn(List.of(other, "40 22 0:35 / /tmp rw - tmpfs tmpfs rw"))).isFalse();
    assertThat(PrivateTmp.isIn(List.of(other, own.replace(" /tmp rw", " /var/tmp rw")))).isFalse();
  }
}
