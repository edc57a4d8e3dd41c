// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Tells the database which prefetched jobs begin, before they do: otherwise a job that kills its
 * process would use up the attempts of those that only stood behind it. One number in the worker's
 * row says it for many jobs, because they begin in the order of their tokens.
 */
final class Marker implements Runnable {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final WorkerParts parts;

  Marker(WorkerParts parts) {
    this.parts = parts;
  }

  @Override
  public void run() {
    new Loop(parts, "begin jobs", parts.hand()::isOver, this::mark).run();
  }

  private void mark() throws InterruptedException {
    Run last = parts.hand().awaitBeginning();
    if (last == null) {
      return;
    }
    long token = last.token().value();
    try {
      boolean lives =
          parts.database().call(c -> parts.claims().begin(c, last.registration().id(), token));
      if (lives) {
        parts.hand().mayBegin(token);
        return;
      }
    } catch (SQLException failed) {
      parts.trouble("let jobs begin", failed);
    }
    // If its time is over, the heart will notice and drop what it has.
    parts.time().sleep(PAUSE.toNanos());
  }
}
