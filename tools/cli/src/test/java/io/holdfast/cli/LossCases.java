// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two {@code holdfast run}s want one lock, and something happens to the first. Their commands, and
 * what those started, write down when they were at work; two of them never were at the same time.
 */
abstract class LossCases {
  /** What the first may lose: a busy machine does not lose it by being slow. */
  static final Duration LEASE = Duration.ofSeconds(10);

  /** What the second must not lose. */
  private static final Duration LONG_LEASE = Duration.ofSeconds(30);

  /** The longest there is: a busy machine takes long to load a client and to connect. */
  static final String PATIENT = "timeout=4s";

  @TempDir Path directory;

  private final List<Launched> launched = new ArrayList<>();

  @AfterEach
  void end() {
    launched.forEach(Launched::close);
  }

  Journal journal() {
    return new Journal(directory);
  }

  /** Starts the second. */
  Launched run(String url) {
    return run(url, LONG_LEASE);
  }

  private Launched run(String url, Duration leaseTime) {
    List<String> arguments = new ArrayList<>(List.of("run", "lock", "--url", url));
    arguments.addAll(
        List.of("--lease-time", leaseTime.toSeconds() + "s", "--grace", "500ms", "--"));
    arguments.addAll(List.of(journal().worker()));
    Launched run = Launched.holdfast(arguments.toArray(String[]::new));
    launched.add(run);
    return run;
  }

  /** Starts the first, and waits until it and its grandchild are at work. */
  Launched first(String url) {
    Launched first = run(url, LEASE);
    awaitAtWork(first, () -> journal().hasGrandchild());
    return first;
  }

  /** Waits until it is at work, or fails with what it said when it ended before. */
  static void awaitAtWork(Launched run, BooleanSupplier isAtWork) {
    Eventually.until("it is at work, or ends", () -> isAtWork.getAsBoolean() || !run.isAlive());
    assertThat(isAtWork.getAsBoolean()).as("it is at work; it said %s", run.errors()).isTrue();
  }

  /** Waits until the second has been at work for a while, and looks who was there with it. */
  void awaitSecond(Launched second) {
    awaitAtWork(second, () -> journal().holders() == 2);
    Eventually.pass(Duration.ofSeconds(1));
    assertThat(journal().overlaps()).isEmpty();
    second.close();
  }

  void keeperIsKilled(String url) {
    Launched first = first(url);
    Launched second = run(url);
    Launched.signal("KILL", first.keeper());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  void keeperIsStopped(String url) {
    Launched first = first(url);
    Launched second = run(url);
    Launched.signal("STOP", first.keeper());
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }

  void supervisorIsKilled(String url) {
    Launched first = first(url);
    long keeper = first.keeper();
    Launched second = run(url);
    first.signal("KILL");
    awaitSecond(second);
    Eventually.until("the keeper has gone", () -> ProcessHandle.of(keeper).isEmpty());
  }

  void serverIsStopped(String url, Runnable stop, Runnable resume) {
    Launched first = first(url);
    Launched second = run(url);
    awaitWaiter(url); // One that has not connected yet would end.
    stop.run();
    try {
      assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    } finally {
      resume.run();
    }
    awaitSecond(second);
  }

  private static void awaitWaiter(String url) {
    try (Holdfast holdfast = Holdfast.connect(url)) {
      Eventually.until("the second waits", () -> !holdfast.inspect("lock").waiters().isEmpty());
    }
  }

  void networkIsCut(String cut, String whole, FaultyProxy network) {
    Launched first = first(cut);
    Launched second = run(whole);
    network.loseEverything();
    assertThat(first.exitCode()).isEqualTo(ExitCode.LOST);
    awaitSecond(second);
  }
}
