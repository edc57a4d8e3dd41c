// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When {@code holdfast run} has ended, nothing is left of a command whose lock was lost. */
@Tag("file")
class LeftoverTest {
  /** The command ends when it is asked to. What it started does not, and has left its group. */
  private static final String STUBBORN =
      """
      setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' &
      exec sleep 100
      """;

  @TempDir private Path directory;

  @Test
  void what_the_command_has_started_is_ended_before_we_are() {
    try (Launched run =
        Launched.holdfast(
            "run",
            "a",
            "--url",
            "file:" + directory,
            "--grace",
            "2s",
            "--lease-time",
            "20s",
            "--",
            "bash",
            "-c",
            STUBBORN)) {
      run.awaitOutput("\n");
      long grandchild = Long.parseLong(run.output().strip());
      Launched.signal("KILL", run.keeper());
      assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
      assertThat(isAtWork(grandchild)).isFalse();
    }
  }

  /** Its first thread ends, and another one goes on until there is a file. */
  private static final String HEADLESS =
      """
      use threads;
      $| = 1;
      threads->create(sub {
        select undef, undef, undef, 0.05 until -e "/proc/$$/stat" && `cat /proc/$$/stat` =~ /\\) Z /;
        print "$$\n";
        select undef, undef, undef, 0.05 until -e $ARGV[0];
      });
      syscall(`uname -m` =~ /x86_64/ ? 60 : 93, 0);
      """;

  private Launched headless(String name, String... before) {
    assumeThat(Launched.program("perl", "-Mthreads", "-e", "1").exitCode()).isZero();
    List<String> arguments = new ArrayList<>(List.of("run", name, "--url", "file:" + directory));
    arguments.addAll(List.of("--grace", "2s", "--lease-time", "20s", "--"));
    arguments.addAll(List.of(before));
    arguments.addAll(List.of("perl", "-e", HEADLESS, directory.resolve("end").toString()));
    Launched run = Launched.holdfast(arguments.toArray(String[]::new));
    run.awaitOutput("\n");
    return run;
  }

  @Test
  void a_process_whose_first_thread_has_ended_keeps_the_lock() throws IOException {
    try (Launched command = headless("a");
        Launched leftover = headless("b", "setsid", "--fork")) {
      for (String name : List.of("a", "b")) {
        try (Launched next =
            Launched.holdfast(
                "run", name, "-w", "4s", "--url", "file:" + directory, "--", "true")) {
          assertThat(next.exitCode()).isEqualTo(ExitCode.NO);
        }
      }
      Files.createFile(directory.resolve("end"));
      assertThat(command.exitCode()).isZero();
      assertThat(leftover.exitCode()).isZero();
    }
  }

  @Test
  void a_process_whose_first_thread_has_ended_is_ended_when_the_lock_is_lost() {
    for (String[] before : List.of(new String[] {}, new String[] {"setsid", "--fork"})) {
      try (Launched run = headless("a", before)) {
        long pid = Long.parseLong(run.output().strip());
        Launched.signal("KILL", run.keeper());
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
        assertThat(Path.of("/proc/" + pid + "/task"))
            .satisfiesAnyOf(
                tasks -> assertThat(tasks).doesNotExist(),
                tasks ->
                    assertThat(tasks).isDirectoryNotContaining(task -> !task.endsWith("" + pid)));
      }
    }
  }

  /** As under a pager that waits for its user. */
  @Test
  void the_command_is_ended_though_our_words_are_not_read() {
    List<ToLongFunction<Launched>> parts = List.of(Launched::keeper, Launched::watchdog);
    for (int i = 0; i < parts.size(); i++) {
      try (Launched run = unread(directory.resolve("pipe" + i), "lock" + i)) {
        run.awaitOutput("\n");
        long command = Long.parseLong(run.output().strip());
        Launched.signal("KILL", parts.get(i).applyAsLong(run));
        assertThat(run.exitCode()).isEqualTo(ExitCode.LOST);
        assertThat(isAtWork(command)).isFalse();
      }
    }
  }

  private Launched unread(Path pipe, String name) {
    return Launched.program(
        "bash",
        "-c",
        """
        mkfifo "$0" && exec 3<>"$0"
        dd if=/dev/zero of="$0" bs=4096 oflag=nonblock 2>/dev/null
        exec bash "$1" run "$2" --url "$3" --grace 1s --lease-time 10s -- sh -c 'echo $$; exec sleep 100' 2>"$0"
        """,
        pipe.toString(),
        Launched.script("launch.bash"),
        name,
        "file:" + directory);
  }

  /**
   * Who has ended may still be listed until its parent has heard of it, but has no command line.
   */
  private static boolean isAtWork(long pid) {
    try {
      return !Files.readString(Path.of("/proc/" + pid + "/cmdline")).isEmpty();
    } catch (IOException gone) {
      return false;
    }
  }
}
