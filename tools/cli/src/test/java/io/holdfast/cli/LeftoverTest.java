// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
