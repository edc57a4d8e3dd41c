// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.jobs.JobListener.LossOfClaim;
import io.holdfast.spi.Moment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the database that the worker lives: one row, however many jobs. And stops the worker's own
 * jobs when that could not be told for so long that others may soon take them; a thread of its own
 * sees to that, because the one that beats may be waiting for an answer.
 */
final class Heart {
  private final WorkerParts parts;
  private final Duration leaseTime;
  private volatile @Nullable Registration current;
  private volatile boolean closed;

  Heart(WorkerParts parts) {
    this.parts = parts;
    this.leaseTime = parts.settings().leaseTime();
  }

  /** The present life; null while there is none. */
  @Nullable Registration alive() {
    Registration life = current;
    return life != null && life.isAlive() ? life : null;
  }

  void close() {
    closed = true;
  }

  /** Beats three times in a lease time, and sooner again if it was not answered. */
  void beat() {
    long usual = leaseTime.toNanos() / 3;
    Loop.Step step =
        () -> {
          boolean answered = beatOnce();
          parts.time().sleep(answered ? usual : usual / 5);
        };
    new Loop(parts, "say that it lives", () -> closed, step).run();
  }

  private boolean beatOnce() {
    Registration life = current;
    Moment sent = parts.time().now();
    try {
      if (life == null || life.isOver()) {
        register(sent);
      } else {
        beat(life, sent);
      }
      return true;
    } catch (SQLException failed) {
      parts.trouble("take the heartbeat", failed);
      return false;
    }
  }

  private void register(Moment sent) throws SQLException {
    WorkerSettings settings = parts.settings();
    long id =
        parts
            .database()
            .call(c -> parts.sql().register(c, settings.queue(), settings.name(), leaseTime));
    current = new Registration(id, leaseTime.toNanos(), sent, parts.time());
  }

  private void beat(Registration life, Moment sent) throws SQLException {
    List<Run> running = parts.hand().running();
    running.removeIf(run -> run.registration() != life);
    Optional<Set<Long>> gone =
        parts.database().call(c -> parts.sql().heartbeat(c, life.id(), leaseTime, running));
    if (gone.isEmpty()) {
      end(life, LossOfClaim.RESCUED);
      return;
    }
    if (!life.extend(sent)) {
      end(life, LossOfClaim.HEARTBEAT);
      return;
    }
    for (Run run : running) {
      if (gone.get().contains(run.token().value()) && run.transaction().isEmpty()) {
        lose(run, LossOfClaim.CANCELLED);
      }
    }
  }

  /** Ends a life whose time has run out, at that time. */
  void watch() {
    new Loop(parts, "watch its time", () -> closed, this::watchOnce).run();
  }

  private void watchOnce() throws InterruptedException {
    Registration life = current;
    long left = life == null || life.isOver() ? leaseTime.toNanos() / 20 : life.nanosLeft();
    if (left > 0) {
      parts.time().sleep(Math.max(left, 1_000_000));
    } else if (life != null) {
      end(life, LossOfClaim.HEARTBEAT);
    }
  }

  private void end(Registration life, LossOfClaim cause) {
    life.end();
    parts.hand().drop(life);
    for (Run run : parts.hand().running()) {
      if (run.registration() == life) {
        lose(run, cause);
      }
    }
  }

  void lose(Run run, LossOfClaim cause) {
    if (run.lose(cause)) {
      parts.events().lost(run, cause);
    }
  }

  /** Takes the worker's row away: nothing of it runs any more. */
  void leave() throws SQLException {
    Registration life = current;
    if (life != null && !life.isOver()) {
      life.end();
      parts.database().call(connection -> parts.sql().leave(connection, life.id()));
    }
  }
}
