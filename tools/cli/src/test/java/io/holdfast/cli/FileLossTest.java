// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.Stopping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to a run whose lock is a file. */
@Tag("file")
class FileLossTest extends LossCases {
  @TempDir private Path locks;

  private String url() {
    return "file:" + locks;
  }

  @Test
  void they_do_not_overlap_when_the_keeper_is_killed() {
    keeperIsKilled(url());
  }

  @Test
  void they_do_not_overlap_when_the_keeper_is_stopped() {
    keeperIsStopped(url());
  }

  @Test
  void they_do_not_overlap_when_holdfast_is_killed() {
    supervisorIsKilled(url());
  }

  @Test
  void they_do_not_overlap_when_holdfast_is_stopped() {
    Launched first = first(url());
    Launched second = run(url());
    first.signal("STOP");
    // Longer than a lease: it is renewed, for its command goes on.
    Eventually.pass(LEASE.plusSeconds(1));
    assertThat(journal().holders()).isEqualTo(1);
    first.signal("CONT");
    Launched.signal("KILL", first.keeper());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  @Test
  void they_do_not_overlap_when_the_watchdog_is_killed() {
    Launched first = first(url());
    Launched second = run(url());
    Launched.signal("KILL", first.watchdog());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  @Test
  void they_do_not_overlap_when_the_watchdog_is_stopped_and_the_lock_is_lost() {
    Launched first = first(url());
    Launched second = run(url());
    Launched.signal("STOP", first.watchdog());
    first.signal("KILL");
    awaitSecond(second);
  }

  @Test
  void all_is_stopped_and_wakes_too_late_and_only_the_token_can_help() {
    Launched first = first(url());
    long token = journal().intervals().get(0).token();
    List<Long> parts = new ArrayList<>();
    parts.add(first.keeper());
    parts.add(first.watchdog());
    parts.addAll(workers(token));
    Stopping.outsideOfMutex(
        locks,
        () -> parts.forEach(part -> Launched.signalIfThere("STOP", part)),
        () -> parts.forEach(part -> Launched.signalIfThere("CONT", part)));
    Launched second = run(url());
    awaitAtWork(second, () -> journal().holders() == 2);
    workers(token).forEach(worker -> Launched.signalIfThere("CONT", worker));
    // It is at work beside the second one, and nobody can help that; but its writes are refused.
    Eventually.until("the guard has refused a write", () -> journal().wasRefused(token));
    assertThat(journal().overlaps()).isEmpty();
    parts.forEach(part -> Launched.signalIfThere("CONT", part));
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    second.close();
  }

  /** The command of the lock's holder, and all that it started, for this test's journal. */
  private List<Long> workers(long token) {
    return ProcessHandle.allProcesses()
        .filter(process -> contains(process, "cmdline", directory.toString()))
        .filter(process -> contains(process, "environ", "HOLDFAST_TOKEN=" + token + "\0"))
        .map(ProcessHandle::pid)
        .toList();
  }

  private static boolean contains(ProcessHandle process, String file, String text) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/" + file), ISO_8859_1)
          .contains(text);
    } catch (IOException gone) {
      return false;
    }
  }
}
