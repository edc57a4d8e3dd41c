// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The system's clocks, and one thread for all that is due. The only place that reads a clock. */
final class SystemTime implements TimeSource, AutoCloseable {
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, DaemonThreads.named("holdfast-timer"));

  /** For what is a matter of processors, not of leases. */
  static long nanos() {
    return System.nanoTime();
  }

  @Override
  public Moment now() {
    Instant wall = Instant.now();
    return new Moment(
        System.nanoTime(), TimeUnit.SECONDS.toNanos(wall.getEpochSecond()) + wall.getNano());
  }

  @Override
  public void after(Duration delay, Runnable task) {
    try {
      var unused = timer.schedule(Answers.guarded(task), Times.nanos(delay), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      // What was due after the end is not due any more.
      return;
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
