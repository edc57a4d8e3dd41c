// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.jobs.RecurringSql.Due;
import io.holdfast.jobs.RecurringSql.Step;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Enqueues the recurring jobs of a worker's queue when they are due. Every worker does; the
 * database lets one of them do it for each time. Sleeps until the next is due, but not for long,
 * because others may be added meanwhile.
 */
final class Recurrences implements Runnable {
  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** A time that is older was missed. */
  private static final Duration LATE = Duration.ofMinutes(1);

  private final WorkerParts parts;
  private final RecurringSql sql;
  private final Runnable hint;
  private final long longestSleep;
  private boolean isWoken;
  private volatile boolean closed;

  /**
   * @param hint what to do when jobs have become ready
   */
  Recurrences(WorkerParts parts, Runnable hint) {
    this.parts = parts;
    this.sql = new RecurringSql(parts.sql());
    this.hint = hint;
    Duration poll = parts.settings().pollInterval();
    this.longestSleep = (poll.compareTo(LONGEST_SLEEP) > 0 ? poll : LONGEST_SLEEP).toNanos();
  }

  /** A run may have ended, after which another is due. */
  synchronized void wake() {
    isWoken = true;
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  @Override
  public void run() {
    new Loop(parts, "enqueue recurring jobs", () -> closed, () -> rest(look())).run();
  }

  private synchronized void rest(long nanos) throws InterruptedException {
    long end = parts.time().nanos() + nanos;
    while (!closed && !isWoken && end - parts.time().nanos() > 0) {
      parts.time().await(this, end - parts.time().nanos());
    }
    isWoken = false;
  }

  /** After how long to look again. */
  private long look() {
    try {
      long wait = longestSleep;
      for (Due each : parts.database().call(c -> sql.due(c, parts.queue()))) {
        wait = Math.min(wait, untilNext(each));
      }
      return Math.max(wait, 1_000_000);
    } catch (SQLException failed) {
      parts.trouble("enqueue recurring jobs", failed);
      return PAUSE.toNanos();
    }
  }

  private long untilNext(Due seen) throws SQLException {
    if (seen.ended() == null && seen.next().isAfter(seen.now())) {
      return Duration.between(seen.now(), seen.next()).toNanos();
    }
    Step step;
    try {
      step = step(seen);
    } catch (RuntimeException unknown) {
      // Of a newer version, or the rules of its zone are gone: others need not wait for it.
      parts.events().broken(parts.queue(), "enqueue '" + seen.name() + "'", unknown);
      return longestSleep;
    }
    if (parts.database().call(c -> sql.recur(c, seen, step)) > 0) {
      hint.run();
    }
    return Math.max(0, Duration.between(seen.now(), step.following()).toNanos());
  }

  private static Step step(Due seen) {
    Recurrence recurrence = Recurrence.parse(seen.recurrence());
    if (recurrence instanceof Cron cron) {
      return step(cron, seen);
    }
    Instant following = seen.now().plus(((FixedDelay) recurrence).delay());
    return new Step(seen.ended() == null ? List.of(seen.next()) : List.of(), following, true);
  }

  private static Step step(Cron cron, Due seen) {
    Instant before = seen.next().minusNanos(1);
    List<Instant> times = cron.latest(before, seen.now(), Math.max(1, seen.most()));
    boolean isLate =
        times.isEmpty() || times.get(times.size() - 1).isBefore(seen.now().minus(LATE));
    Instant following =
        cron.next(seen.now()).orElseThrow(() -> new IllegalStateException("it is never due again"));
    return new Step(isLate && seen.most() == 0 ? List.of() : times, following, false);
  }
}
