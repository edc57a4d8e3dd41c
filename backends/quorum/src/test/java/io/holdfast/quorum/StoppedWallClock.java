// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The time of a process whose wall clock has stopped in 1970. Then no token grows because time goes
 * on: only what the nodes know makes it greater.
 */
final class StoppedWallClock implements TimeSource {
  private static final long WALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          2,
          task -> {
            Thread thread = new Thread(task, "stopped-wall-clock");
            thread.setDaemon(true);
            return thread;
          });

  @Override
  public Moment now() {
    return new Moment(System.nanoTime(), WALL_NANOS);
  }

  @Override
  public void after(Duration delay, Runnable task) {
    var unused = TIMER.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
