// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The two clocks of a process that may stand still, as in a live migration, or run slow. */
final class ProcessClock implements TimeSource {
  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          2,
          task -> {
            Thread thread = new Thread(task, "process-clock");
            thread.setDaemon(true);
            return thread;
          });

  private final long startNanos = System.nanoTime();
  private final long wallNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  private final double rate;
  private long missingNanos;
  private long stoodStillNanos = -1;

  /** One that runs at this rate: 0.92 if it is slewed by 8 %. */
  ProcessClock(double rate) {
    this.rate = rate;
  }

  @Override
  public synchronized Moment now() {
    long passed = stoodStillNanos >= 0 ? stoodStillNanos : passedNanos();
    return new Moment(startNanos + passed, wallNanos + passed);
  }

  private long passedNanos() {
    return (long) ((System.nanoTime() - startNanos) * rate) - missingNanos;
  }

  /** Both clocks stand still for so long, and then go on as if no time had passed. */
  void standStill(Duration time) {
    synchronized (this) {
      stoodStillNanos = passedNanos();
    }
    Eventually.pass(time);
    synchronized (this) {
      missingNanos += passedNanos() - stoodStillNanos;
      stoodStillNanos = -1;
    }
  }

  @Override
  public void after(Duration delay, Runnable task) {
    var unused = TIMER.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
