// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a process has died, for those who wait for what it held: nobody else tells them. It
 * looks ten times a second, at the processes and not at the locks, so that the cost does not grow
 * with the number of waiters; and only while somebody waits.
 *
 * <p>To block a thread on the lock of each process instead would tell at once, and is what {@link
 * OsLocks} warns of.
 */
final class DeathWatch {
  private static final Logger log = LoggerFactory.getLogger(DeathWatch.class);
  private static final Duration INTERVAL = Duration.ofMillis(100);

  /** Many processes are looked at less often: a look at one takes about 10 µs. */
  private static final Duration MORE_FOR_EACH = Duration.ofMillis(1);

  private final TimeSource time;
  private final Executor executor;
  private final AliveLocks aliveLocks;
  private final BooleanSupplier somebodyWaits;
  private final Runnable somebodyDied;
  private final Set<Path> known = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean watching = new AtomicBoolean();

  DeathWatch(
      TimeSource time,
      Executor executor,
      AliveLocks aliveLocks,
      BooleanSupplier somebodyWaits,
      Runnable somebodyDied) {
    this.time = time;
    this.executor = executor;
    this.aliveLocks = aliveLocks;
    this.somebodyWaits = somebodyWaits;
    this.somebodyDied = somebodyDied;
  }

  /** Somebody waits for a lock that a process holds, which was alive a moment ago. */
  void watch(String process) {
    known.add(aliveLocks.folderOf(process));
    if (watching.compareAndSet(false, true)) {
      lookAfter(INTERVAL);
    }
  }

  private void lookAfter(Duration delay) {
    time.after(delay, () -> executor.execute(this::look));
  }

  private void look() {
    if (!somebodyWaits.getAsBoolean()) {
      known.clear();
      watching.set(false);
      return;
    }
    Duration next = INTERVAL;
    try {
      Set<Path> missing = new HashSet<>(known);
      Set<Path> alive = aliveLocks.alive();
      missing.removeAll(alive);
      known.removeAll(missing);
      known.addAll(alive);
      if (!missing.isEmpty()) {
        somebodyDied.run();
      }
      next = INTERVAL.plus(MORE_FOR_EACH.multipliedBy(alive.size()));
    } catch (Throwable failed) {
      log.debug("could not look at the processes: {}", failed.toString());
    }
    lookAfter(next);
  }
}
