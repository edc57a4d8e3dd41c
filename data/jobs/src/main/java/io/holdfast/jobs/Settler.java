// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.jobs.JobListener.Result;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * Tells the database how runs ended: all that have ended since it was told last, with one statement
 * for each kind of ending. Whatever was not answered is told again, which is harmless: the token is
 * compared.
 */
final class Settler implements Runnable {
  private static final int MOST = 2000;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final WorkerParts parts;
  private final Runnable doubt;
  private final Queue<Ending> endings = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param doubt what to do when a job may be held in the database that the worker gave up
   */
  Settler(WorkerParts parts, Runnable doubt) {
    this.parts = parts;
    this.doubt = doubt;
  }

  synchronized void add(Ending ending) {
    endings.add(ending);
    notifyAll();
  }

  /** Ends when all is told. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  @Override
  public void run() {
    new Loop(parts, "tell how jobs ended", this::isOver, () -> settle(next())).run();
  }

  private synchronized boolean isOver() {
    return closed && endings.isEmpty();
  }

  /** What has ended since the last time, waiting for the first; nothing when all is told. */
  private synchronized List<Ending> next() throws InterruptedException {
    while (endings.isEmpty() && !closed) {
      wait();
    }
    List<Ending> batch = new ArrayList<>(Math.min(endings.size(), MOST));
    while (batch.size() < MOST && !endings.isEmpty()) {
      batch.add(endings.remove());
    }
    return batch;
  }

  private void settle(List<Ending> batch) throws InterruptedException {
    Map<Result, List<Ending>> kinds = new EnumMap<>(Result.class);
    for (Ending ending : batch) {
      kinds.computeIfAbsent(ending.result(), kind -> new ArrayList<>(batch.size())).add(ending);
    }
    for (Map.Entry<Result, List<Ending>> kind : kinds.entrySet()) {
      // Rows are locked in this order, as a rescue does.
      kind.getValue().sort(Comparator.comparingLong(ending -> ending.run().id()));
      tell(kind.getKey(), kind.getValue());
    }
  }

  /** Until it is answered; not for ever, because at last others have taken the jobs. */
  private void tell(Result result, List<Ending> endings) throws InterruptedException {
    long end = parts.time().nanos() + 2 * parts.settings().leaseTime().toNanos();
    for (boolean isRepeat = false; ; isRepeat = true) {
      try {
        Set<Long> held = parts.database().call(connection -> end(connection, result, endings));
        report(endings, held, isRepeat);
        return;
      } catch (SQLException failed) {
        parts.trouble("take the results of " + endings.size() + " jobs", failed);
      } catch (RuntimeException | Error failed) {
        parts.events().broken(parts.queue(), "tell how " + endings.size() + " jobs ended", failed);
      }
      if (parts.time().nanos() - end > 0) {
        giveUp(endings);
        return;
      }
      parts.time().sleep(PAUSE.toNanos());
    }
  }

  private void giveUp(List<Ending> endings) {
    parts.hand().forget(endings.stream().map(Ending::run).toList());
    doubt.run();
  }

  private Set<Long> end(Connection connection, Result result, List<Ending> endings)
      throws SQLException {
    JobsSql sql = parts.sql();
    return switch (result) {
      case COMPLETED -> sql.complete(connection, endings, parts.keepsFinished());
      case FAILED -> sql.retry(connection, endings);
      case BURIED -> sql.bury(connection, endings);
      case RELEASED -> sql.release(connection, endings);
    };
  }

  private void report(List<Ending> endings, Set<Long> held, boolean isRepeat) {
    parts.hand().forget(endings.stream().map(Ending::run).toList());
    for (Ending ending : endings) {
      if (held.contains(ending.run().token().value())) {
        parts.events().settled(ending);
      } else if (ending.run().isCompletedByHandler()) {
        parts.events().settled(Ending.completed(ending.run(), ending.ran()));
      } else {
        parts.events().stale(ending, isRepeat);
      }
    }
  }
}
