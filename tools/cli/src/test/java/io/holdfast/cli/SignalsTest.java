// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What happens under signals, beside {@code flock(1)}: the cases are in {@code signal-case.bash}.
 * In each of them the next command begins when no process of the first is left, and not before, and
 * the exit code is the documented one. What flock does is noted with the first round in a table,
 * {@code target/signals.txt}, and not judged.
 *
 * <p>Each case is run so many times: {@code -Dholdfast.rounds=50}.
 */
@Tag("file")
@Execution(ExecutionMode.CONCURRENT)
class SignalsTest {
  private static final Path TABLE = Path.of("target/signals.txt");

  @TempDir private Path directory;

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "end, 7",
    "TERM, 143",
    "INT, 130",
    "HUP, 129",
    "USR1, 138",
    "TERM+CONT, 143",
    "CONT+TERM, 143",
    "TERM+TERM+CONT+TERM, 143",
    "STOP+TERM+CONT, 143",
    "'TERM,family', 143",
    "group-TERM, 143",
    "group-INT, 130",
    "group-HUP, 129",
    "group-TERM+CONT, 143",
    "timeout, 124",
    "timeout-INT, 124",
    "'timeout-k,stubborn', 137",
    "systemd-process, 143",
    "systemd-mixed, 143",
    "systemd-control-group, 143",
    "systemd-KILL, 137",
    "terminal-closed, 137",
    "terminal-INT, 130",
    "start-up, 143",
    "'start-up,pipes', 143",
    "'KILL,main', 137",
    "'KILL,group', 137",
    "'KILL,keeper', 75",
    "'STOP,keeper', 75",
    "'KILL,watchdog', 75",
    "'KILL,parent', 75",
    "'STOP,watchdog+TERM', 143",
    "'STOP,parent+TERM', 75",
    "'STOP,main', 7",
    "leaves, 7",
    "nohup, 143",
    "setsid, 143",
    "env-i, 143",
    "closed-0, 7",
    "closed-1, 7",
    "closed-2, 7",
    "closed-all, 143",
  })
  void one_command_at_a_time_and_the_lock_is_free_afterwards(String name, int exitCode)
      throws IOException, InterruptedException {
    // Beside the first round: it may have to wait for what never comes.
    Process flock = start("flock", name, 0);
    int rounds = Integer.getInteger("holdfast.rounds", 1);
    for (int round = 1; round <= rounds; round++) {
      String ours = answer(start("holdfast", name, round));
      note(name, ours, round == 1 ? answer(flock) : "");
      assertThat(ours)
          .as("round %d of %s: exit code, overlap, next; %s", round, name, errors(round))
          .isEqualTo(exitCode + " no free");
    }
  }

  private Process start(String tool, String name, int round) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            "bash",
            Launched.script("signal-case.bash"),
            tool,
            name,
            directory.resolve("round-" + round).toString());
    Launched.describe(builder.environment());
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    return process;
  }

  private static String answer(Process process) throws IOException, InterruptedException {
    String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    process.waitFor();
    return said;
  }

  private String errors(int round) throws IOException {
    return Files.readString(directory.resolve("round-" + round).resolve("errors"));
  }

  private static void note(String name, String ours, String flock) throws IOException {
    Files.writeString(
        TABLE,
        String.format(Locale.ROOT, "%-24s holdfast: %-18s flock: %s%n", name, ours, flock),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
