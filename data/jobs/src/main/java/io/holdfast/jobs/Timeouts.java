// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.jobs.JobListener.LossOfClaim;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Ends attempts whose handlers run for too long. A handler is interrupted when its time is over; if
 * it has not ended a second later, the database is told all the same that the attempt failed, so
 * that a handler that hangs does not keep its job from others. Its thread stays its own.
 */
final class Timeouts implements Runnable {
  static final Duration GRACE = Duration.ofSeconds(1);

  private final WorkerParts parts;
  private final Heart heart;
  private final Settler settler;
  private final Duration timeout;

  /** Of handlers that hang: the database has been told, and their claims are gone. */
  private final Set<Run> abandoned = new HashSet<>();

  private volatile boolean closed;

  Timeouts(WorkerParts parts, Heart heart, Settler settler) {
    this.parts = parts;
    this.heart = heart;
    this.settler = settler;
    this.timeout = parts.settings().timeout();
  }

  void close() {
    closed = true;
  }

  @Override
  public void run() {
    new Loop(parts, "look for jobs that run for too long", () -> closed, this::look).run();
  }

  private void look() throws InterruptedException {
    List<Run> running = parts.hand().running();
    abandoned.retainAll(running);
    // A job that begins after this look is not due before that.
    long next = timeout.toNanos();
    for (Run run : running) {
      OptionalLong ran = run.ranNanos(parts.time().nanos());
      if (ran.isPresent() && !abandoned.contains(run)) {
        next = Math.min(next, untilNext(run, ran.getAsLong()));
      }
    }
    parts.time().sleep(Math.max(next, 1_000_000));
  }

  /** Does what is due for this run; returns after how long the next is. */
  private long untilNext(Run run, long ranNanos) {
    long left = timeout.toNanos() - ranNanos;
    if (left > 0) {
      return left;
    }
    heart.lose(run, LossOfClaim.TIMED_OUT);
    long grace = left + GRACE.toNanos();
    if (grace > 0) {
      return grace;
    }
    if (run.isTimedOut()) {
      abandon(run, Duration.ofNanos(ranNanos));
    }
    return GRACE.toNanos();
  }

  private void abandon(Run run, Duration ran) {
    try {
      if (settler.timeOut(Ending.timedOut(run, ran, null, parts.settings()))) {
        abandoned.add(run);
      }
    } catch (SQLException failed) {
      parts.trouble("end the attempt of job " + run.id(), failed);
    }
  }
}
