// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Claims jobs for whatever room the worker has: again at once while there are enough, and otherwise
 * after the poll interval or when a hint comes.
 */
final class Claimer implements Runnable {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final WorkerParts parts;
  private final Heart heart;
  private final Run.Completion completion;
  private final long pollNanos;
  private final Scan scan;
  private volatile boolean closed;
  private volatile boolean doubts;
  private boolean hinted;

  Claimer(WorkerParts parts, Heart heart) {
    this.parts = parts;
    this.heart = heart;
    this.completion =
        (connection, run) -> parts.claims().completeWithin(connection, run, parts.keepsFinished());
    this.pollNanos = parts.settings().pollInterval().toNanos();
    this.scan = new Scan(pollNanos, parts.time());
  }

  /** There may be jobs. */
  synchronized void hint() {
    hinted = true;
    notifyAll();
  }

  /** The database may hold jobs for this worker that it does not know of. */
  void doubt() {
    doubts = true;
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  @Override
  public void run() {
    new Loop(parts, "claim jobs", () -> closed, this::turn).run();
  }

  private void turn() throws InterruptedException {
    Registration life = heart.alive();
    int room = life == null ? 0 : parts.hand().awaitRoom(pollNanos);
    if (life == null) {
      parts.time().sleep(Math.min(pollNanos, 20_000_000));
    } else if (room > 0 && life.isAlive()) {
      claim(life, room);
    }
  }

  private void claim(Registration life, int room) throws InterruptedException {
    try {
      if (doubts) {
        disown(life);
      }
      boolean fromFront = scan.begin();
      ClaimsSql.Claim claim =
          new ClaimsSql.Claim(
              life, parts.queue(), room, parts.hand().idle(), fromFront, scan.from());
      ClaimsSql.Claimed claimed = parts.database().call(c -> parts.claims().claim(c, claim));
      scan.end(claimed.last());
      take(life, claimed.jobs(), room);
      if (claimed.jobs().size() < room && fromFront) {
        rest();
      } else if (claimed.jobs().size() < room) {
        scan.fromFront();
      }
    } catch (SQLException failed) {
      // It may have been carried out.
      doubts = true;
      parts.trouble("give jobs", failed);
      parts.time().sleep(PAUSE.toNanos());
    } catch (RuntimeException | Error failed) {
      doubts = true;
      throw failed;
    }
  }

  private void disown(Registration life) throws SQLException {
    doubts = false;
    try {
      List<Long> known = parts.hand().known();
      parts.database().call(c -> parts.sql().disown(c, life.id(), known)).ifPresent(life::epoch);
    } catch (SQLException | RuntimeException | Error failed) {
      doubts = true;
      throw failed;
    }
  }

  private void take(Registration life, List<ClaimedJob> jobs, int room) {
    if (jobs.isEmpty()) {
      return;
    }
    parts.events().tell(l -> l.claimed(new JobListener.Claimed(parts.queue(), jobs.size(), room)));
    List<Run> runs =
        jobs.stream().map(job -> new Run(job, parts.queue(), life, completion)).toList();
    if (!parts.hand().add(runs)) {
      unwanted(runs);
    }
  }

  /** The worker was closed while the claim was under way. */
  private void unwanted(List<Run> runs) {
    try {
      parts
          .database()
          .call(c -> parts.claims().release(c, runs.stream().map(Ending::released).toList()));
    } catch (SQLException failed) {
      parts.trouble("take back " + runs.size() + " jobs", failed);
    }
  }

  /** Until a hint, or the time of the next poll. */
  private synchronized void rest() throws InterruptedException {
    long end = parts.time().nanos() + (hinted ? afterHint() : untilPoll());
    hinted = false;
    while (!closed && !hinted) {
      long left = end - parts.time().nanos();
      if (left <= 0) {
        return;
      }
      parts.time().await(this, left);
    }
  }

  /** Hints are given at most once in a while: what was enqueued just after one is asked for too. */
  private long afterHint() {
    return Math.min(pollNanos, Hints.SHORTEST.toNanos() * 5 / 4);
  }

  /** With some jitter, so that workers do not march in step. */
  private long untilPoll() {
    return ThreadLocalRandom.current().nextLong(pollNanos * 3 / 4, pollNanos + 1);
  }
}
