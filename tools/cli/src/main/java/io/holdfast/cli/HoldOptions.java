// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** On which terms a lock is held for a command. */
final class HoldOptions {
  /** Of the lease time, what must be left for renewals to be repeated before the end begins. */
  private static final int PARTS = 3;

  /** What the shell keeps between the command's end and that of the lease. */
  static final Duration MARGIN = Duration.ofMillis(300);

  /** The default of core, which a store with a shorter longest lease time does not reach. */
  static final Duration USUAL = Duration.ofSeconds(30);

  /** What becomes of the command when its lock is lost. */
  enum OnLost {
    KILL,
    WARN
  }

  @Option(
      names = {"-w", "--wait", "--timeout"},
      paramLabel = "DURATION",
      description = "Wait at most so long for the lock: 10s, 500ms, 2m. Default: for ever.")
  private @Nullable Duration wait;

  @Option(
      names = {"-n", "--no-wait", "--nonblock"},
      description = "Do not wait if somebody else has the lock.")
  private boolean noWait;

  @Option(
      names = "--lease-time",
      paramLabel = "DURATION",
      description =
          "How long the store keeps the lock when it hears nothing from us. Default:"
              + " $$HOLDFAST_LEASE_TIME, or 30s, or less if the store keeps none for so long.")
  private @Nullable Duration leaseTime;

  @Option(
      names = {"-s", "--shared"},
      description = "Hold it together with others who share it.")
  private boolean shared;

  @Option(
      names = "--permits",
      paramLabel = "N",
      description = "So many may hold it at a time; the same number for everybody.")
  private @Nullable Integer permits;

  @Option(
      names = "--on-lost",
      paramLabel = "kill|warn",
      description = "What to do with the command if the lock is lost. Default: kill.")
  private OnLost onLost = OnLost.KILL;

  @Option(
      names = "--grace",
      paramLabel = "DURATION",
      description = "How long the command has between TERM and KILL. Default: 5s.")
  private Duration grace = Duration.ofSeconds(5);

  @Option(
      names = "--max-hold",
      paramLabel = "DURATION",
      description = "End the command when it has held the lock for so long: one that hangs.")
  private @Nullable Duration maxHold;

  @Option(
      names = "--purpose",
      paramLabel = "TEXT",
      description = "What for, shown to whoever inspects the lock. Default: the command's name.")
  private @Nullable String purpose;

  @Option(
      names = {"-o", "--close"},
      description = "Release when the command itself has ended, whatever it left behind.")
  private boolean close;

  /** Requires of the options what does not depend on the store. */
  void requireSense() {
    if (permits != null && permits < 1) {
      throw new IllegalArgumentException("a semaphore has at least one permit, not " + permits);
    }
    if (shared && permits != null) {
      throw new IllegalArgumentException("'--shared' and '--permits' contradict each other");
    }
    if (maxHold != null && (maxHold.isNegative() || maxHold.isZero())) {
      throw new IllegalArgumentException("the longest hold is longer than nothing");
    }
    if (maxHold != null && onLost == OnLost.WARN) {
      throw new IllegalArgumentException(
          "'--max-hold' ends the command, and '--on-lost warn' forbids that");
    }
  }

  /** Requires that one process at a time holds the lock: an election has one winner. */
  void requireExclusive() {
    if (shared || permits != null) {
      throw new IllegalArgumentException(
          "an election has one winner: '--shared' and '--permits' are for 'holdfast run'");
    }
  }

  Optional<Duration> maxHold() {
    return Optional.ofNullable(maxHold);
  }

  boolean closes() {
    return close;
  }

  Duration grace() {
    return grace;
  }

  String onLost() {
    return onLost.name().toLowerCase(Locale.ROOT);
  }

  /** How long to wait; null: for ever. Zero: not at all. */
  @Nullable Duration patience() {
    if (noWait && wait != null) {
      throw new IllegalArgumentException("'--no-wait' and '--wait' contradict each other");
    }
    if (wait != null && wait.isNegative()) {
      throw new IllegalArgumentException("a wait is not negative");
    }
    return noWait ? Duration.ZERO : wait;
  }

  /** The lease time that was chosen, if the grace fits into it; null: the store's default. */
  @Nullable Duration leaseTime() {
    Duration chosen = leaseTime == null ? fromEnvironment() : leaseTime;
    if (chosen != null) {
      requireGraceWithin(chosen);
    }
    return chosen;
  }

  /** Requires that the grace fits into the default lease time, as near as the store can keep it. */
  void requireGraceWithinDefault(Guarantees store) {
    Duration longest = store.longestLeaseTime();
    requireGraceWithin(longest.compareTo(USUAL) < 0 ? longest : USUAL);
  }

  private void requireGraceWithin(Duration chosen) {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("a grace is not negative");
    }
    Duration least = grace.plus(MARGIN).multipliedBy(PARTS);
    if (onLost == OnLost.KILL && chosen.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "a lease time of %s is too short to end a command in time with a grace of %s: take at least %s, or a shorter '--grace'"
              .formatted(TimeText.of(chosen), TimeText.of(grace), TimeText.of(least)));
    }
  }

  private static @Nullable Duration fromEnvironment() {
    String text = System.getenv("HOLDFAST_LEASE_TIME");
    return text == null || text.isBlank() ? null : new TimeText().convert(text);
  }

  /** The lock on these terms. */
  DistributedLock lock(Holdfast holdfast, String name, String command) {
    DistributedLock lock =
        permits == null ? holdfast.lock(name) : holdfast.semaphore(name, permits);
    lock = shared ? lock.shared() : lock;
    return lock.withPurpose(purpose == null ? command : purpose);
  }
}
