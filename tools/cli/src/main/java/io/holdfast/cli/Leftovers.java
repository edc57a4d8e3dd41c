// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What goes on when the command has ended: the lock is kept for it. */
final class Leftovers {
  /** What dies of the same signal as the command may take longer. */
  private static final Duration MOMENT = Duration.ofMillis(200);

  /** Before anyone wonders why we do not end. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private final String lock;
  private final CommandTree tree;
  private long firstNanos;
  private boolean wasSaid;

  Leftovers(String lock, CommandTree tree) {
    this.lock = lock;
    this.tree = tree;
  }

  /** Ends them, with their grace. */
  void end(Feed feed) {
    long start = System.nanoTime();
    while (!tree.isGone()) {
      if (System.nanoTime() - start > MOMENT.toNanos()) {
        feed.endRest();
        return;
      }
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  /** Whether they may end at any moment: it is worth to look often. */
  boolean areNew() {
    return !wasSaid;
  }

  /** Says once for what the lock is kept. */
  void explain() {
    long now = System.nanoTime();
    firstNanos = firstNanos == 0 ? now : firstNanos;
    if (wasSaid || now - firstNanos < SILENCE.toNanos()) {
      return;
    }
    List<String> members = tree.members();
    if (!members.isEmpty()) {
      wasSaid = true;
      Message.NOTE.sayAside(
          "the command has ended, but processes that it started go on (%s); lock '%s' is kept for them, unless '--close' is given"
              .formatted(String.join(", ", members), lock));
    }
  }
}
