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
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/**
 * Tells the database how runs ended: all that have ended since it was told last, with one statement
 * for each kind of ending. Whatever was not answered is told again, which is harmless: the token is
 * compared.
 */
final class Settler implements Runnable {
  private static final int MOST = 2000;

  /** In one transaction: each group is a lock in the server's memory. */
  private static final int MOST_GROUPS = 200;

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final WorkerParts parts;
  private final Runnable doubt;
  private final Runnable hint;
  private final Runnable recurred;
  private final Queue<Ending> endings = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param doubt what to do when a job may be held in the database that the worker gave up
   * @param hint what to do when other jobs have become ready
   * @param recurred what to do when a run of a recurring job has ended
   */
  Settler(WorkerParts parts, Runnable doubt, Runnable hint, Runnable recurred) {
    this.parts = parts;
    this.doubt = doubt;
    this.hint = hint;
    this.recurred = recurred;
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
        Told told = parts.database().call(connection -> end(connection, result, endings));
        advance(endings);
        report(endings, told, isRepeat);
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

  /**
   * Tells at once, on the caller's thread, that a run has ended whose handler hangs. False if a
   * transaction has the job's row, as that of a handler does which completes the job in it.
   */
  boolean timeOut(Ending ending) throws SQLException {
    Optional<Boolean> held = parts.database().call(c -> parts.claims().timeOut(c, ending));
    if (held.isPresent() && !held.get()) {
      return false;
    }
    List<Ending> one = List.of(ending);
    Set<Long> tokens = held.isPresent() ? Set.of(ending.run().token().value()) : Set.of();
    advance(one);
    report(one, new Told(tokens, Set.of()), false);
    return true;
  }

  private void giveUp(List<Ending> endings) {
    parts.hand().forget(endings.stream().map(Ending::run).toList());
    doubt.run();
  }

  /** What the database says of these claims: whose they still were, and whose were done before. */
  private record Told(Set<Long> held, Set<String> committed) {}

  private Told end(Connection connection, Result result, List<Ending> endings) throws SQLException {
    ClaimsSql sql = parts.claims();
    Set<Long> held =
        switch (result) {
          case COMPLETED -> sql.complete(connection, endings, parts.keepsFinished());
          case FAILED -> sql.retry(connection, endings);
          case BURIED -> sql.bury(connection, endings);
          case SNOOZED -> sql.snooze(connection, endings);
          case RELEASED -> sql.release(connection, endings);
        };
    List<String> own =
        endings.stream()
            .map(Ending::run)
            .filter(run -> !held.contains(run.token().value()))
            .flatMap(run -> run.transaction().stream())
            .toList();
    return new Told(held, own.isEmpty() ? Set.of() : sql.committed(connection, own));
  }

  /** Other jobs of their groups may go now. */
  private void advance(List<Ending> endings) throws SQLException {
    List<String> groups =
        endings.stream().flatMap(ending -> ending.run().group().stream()).distinct().toList();
    for (int i = 0; i < groups.size(); i += MOST_GROUPS) {
      List<String> some = groups.subList(i, Math.min(groups.size(), i + MOST_GROUPS));
      int ready = parts.database().call(c -> parts.claims().advance(c, parts.queue(), some));
      if (ready > 0) {
        hint.run();
      }
    }
  }

  private void report(List<Ending> endings, Told told, boolean isRepeat) {
    parts.hand().forget(endings.stream().map(Ending::run).toList());
    if (endings.stream().anyMatch(ending -> ending.run().due().isPresent())) {
      recurred.run();
    }
    for (Ending ending : endings) {
      if (told.held.contains(ending.run().token().value())) {
        parts.events().settled(ending);
      } else if (ending.run().transaction().filter(told.committed::contains).isPresent()) {
        parts.events().settled(Ending.completed(ending.run(), ending.ran()));
      } else {
        parts.events().stale(ending, isRepeat);
      }
    }
  }
}
