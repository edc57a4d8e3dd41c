// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.Stopping;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two {@code holdfast run}s want one lock, and something happens to the first. Their commands, and
 * what those started, write down when they were at work; two of them never were at the same time.
 */
class LossTest {
  @TempDir private Path directory;
  @TempDir private Path locks;

  private final List<Launched> launched = new ArrayList<>();

  @AfterEach
  void end() {
    launched.forEach(Launched::close);
  }

  private Journal journal() {
    return new Journal(directory);
  }

  private Launched run(String url) {
    return run(url, "4s");
  }

  private Launched run(String url, String leaseTime) {
    List<String> arguments = new ArrayList<>(List.of("run", "lock", "--url", url));
    arguments.addAll(List.of("--lease-time", leaseTime, "--grace", "500ms", "--"));
    arguments.addAll(List.of(journal().worker()));
    Launched run = Launched.holdfast(arguments.toArray(String[]::new));
    launched.add(run);
    return run;
  }

  /** Starts the first, and waits until it and its grandchild are at work. */
  private Launched first(String url) {
    return first(run(url));
  }

  private Launched first(Launched first) {
    Eventually.until(
        "the first is at work; it said " + first.errors(), () -> journal().hasGrandchild());
    return first;
  }

  /** Waits until the second has been at work for a while, and looks who was there with it. */
  private void awaitSecond(Launched second) {
    Eventually.until(
        "the second is at work; it said " + second.errors(), () -> journal().holders() == 2);
    Eventually.pass(Duration.ofSeconds(1));
    assertThat(journal().overlaps()).isEmpty();
    second.close();
  }

  private void keeperIsKilled(String url) {
    Launched first = first(url);
    Launched second = run(url);
    Launched.signal("KILL", first.keeper());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  private void keeperIsStopped(String url) {
    Launched first = first(url);
    Launched second = run(url);
    Launched.signal("STOP", first.keeper());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  private void supervisorIsKilled(String url) {
    Launched first = first(url);
    long keeper = first.keeper();
    Launched second = run(url);
    first.signal("KILL");
    awaitSecond(second);
    Eventually.until("the keeper has gone", () -> ProcessHandle.of(keeper).isEmpty());
  }

  private void serverIsStopped(String url, Runnable stop, Runnable resume) {
    Launched first = first(url);
    Launched second = run(url);
    stop.run();
    try {
      assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    } finally {
      resume.run();
    }
    if (!second.isAlive()) { // It had not connected yet.
      second = run(url);
    }
    awaitSecond(second);
  }

  private void networkIsCut(String cut, String whole, FaultyProxy network) {
    Launched first = first(cut);
    Launched second = run(whole);
    network.loseEverything();
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  @Nested
  @Tag("file")
  class WithFiles {
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
      Launched first = first(run(url(), "8s"));
      Launched second = run(url());
      first.signal("STOP");
      // Longer than a lease: it is renewed, for its command goes on.
      Eventually.pass(Duration.ofSeconds(9));
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
      Eventually.until(
          "the second is at work; it said " + second.errors(), () -> journal().holders() == 2);
      workers(token).forEach(worker -> Launched.signalIfThere("CONT", worker));
      // It is at work beside the second one, and nobody can help that; but its writes are refused.
      Eventually.until("the guard has refused a write", () -> journal().wasRefused(token));
      assertThat(journal().overlaps()).isEmpty();
      parts.forEach(part -> Launched.signalIfThere("CONT", part));
      assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
      second.close();
    }

    /** The command of the lock's holder, and all that it started. */
    private List<Long> workers(long token) {
      return ProcessHandle.allProcesses()
          .filter(process -> carries(process.pid(), "HOLDFAST_TOKEN=" + token))
          .map(ProcessHandle::pid)
          .toList();
    }
  }

  private static boolean carries(long pid, String variable) {
    try {
      return java.nio.file.Files.readString(
              Path.of("/proc/" + pid + "/environ"), java.nio.charset.StandardCharsets.ISO_8859_1)
          .contains(variable);
    } catch (java.io.IOException gone) {
      return false;
    }
  }

  @Nested
  @Tag("redis")
  class WithRedis {
    private final RedisServer server = RedisServer.start();

    @AfterEach
    void end() {
      server.close();
    }

    private String url() {
      return "redis://" + server.hostAndPort();
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
    void they_do_not_overlap_when_the_server_is_stopped() {
      serverIsStopped(url(), server::pause, server::resume);
    }

    @Test
    void they_do_not_overlap_when_the_network_of_one_is_cut() {
      try (FaultyProxy network = new FaultyProxy(server.port())) {
        networkIsCut("redis://" + network.hostAndPort(), url(), network);
      }
    }
  }

  @Nested
  @Tag("postgresql")
  class WithPostgresql {
    private final PostgresServer server = PostgresServer.start();

    @AfterEach
    void end() {
      server.close();
    }

    private String url(String hostAndPort) {
      return "postgresql://postgres@" + hostAndPort + "/postgres";
    }

    @Test
    void they_do_not_overlap_when_the_server_is_stopped() {
      serverIsStopped(url(server.hostAndPort()), server::pause, server::resume);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "advisory"})
    void they_do_not_overlap_when_the_network_of_one_is_cut(String mode) {
      try (FaultyProxy network = new FaultyProxy(server.port())) {
        networkIsCut(
            url(network.hostAndPort()) + "?mode=" + mode,
            url(server.hostAndPort()) + "?mode=" + mode,
            network);
      }
    }
  }
}
