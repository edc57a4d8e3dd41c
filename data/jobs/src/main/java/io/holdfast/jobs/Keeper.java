// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Does what any worker may do for all: takes jobs from dead workers, deletes old rows. */
final class Keeper implements Runnable {
  private final WorkerParts parts;
  private final Housekeeping housekeeping;
  private final ServerClock clock;
  private volatile boolean closed;
  private long nextCleaning;

  Keeper(WorkerParts parts, Housekeeping housekeeping) {
    this.parts = parts;
    this.housekeeping = housekeeping;
    this.clock = new ServerClock(parts);
  }

  void close() {
    closed = true;
  }

  @Override
  public void run() {
    nextCleaning = parts.time().nanos() + jittered(Housekeeping.INTERVAL.toNanos());
    new Loop(parts, "look after dead workers", () -> closed, this::look).run();
  }

  private void look() throws InterruptedException {
    rescue();
    if (parts.time().nanos() - nextCleaning > 0) {
      nextCleaning = parts.time().nanos() + jittered(Housekeeping.INTERVAL.toNanos());
      clean();
    }
    parts.time().sleep(jittered(parts.settings().leaseTime().toNanos() / 3));
  }

  /** So that workers that were started together do not come together. */
  private static long jittered(long nanos) {
    return ThreadLocalRandom.current().nextLong(nanos * 3 / 4, nanos + 1);
  }

  private void rescue() {
    try {
      if (!clock.isSteady()) {
        return;
      }
      for (JobsSql.Rescued job : parts.database().call(c -> parts.sql().rescue(c))) {
        if (job.isDead()) {
          parts.events().buried(job.queue(), job.id(), job.attempt(), "its worker died");
        } else {
          parts
              .events()
              .tell(
                  listener ->
                      listener.rescued(
                          new JobListener.Rescued(job.queue(), job.id(), job.attempt())));
        }
      }
    } catch (SQLException failed) {
      parts.trouble("say whose worker is dead", failed);
    }
  }

  private void clean() {
    try {
      housekeeping.run(parts.database().within(Duration.ofMinutes(1)));
    } catch (SQLException failed) {
      parts.trouble("delete old rows", failed);
    }
  }
}
