// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;

/** The time of one process whose wall clock is set while it runs, or whose machine sleeps. */
final class SkewedTime implements TimeSource {
  private final TimeSource time;
  private volatile long aheadNanos;

  SkewedTime(TimeSource time) {
    this.time = time;
  }

  void jumpWall(Duration duration) {
    aheadNanos = duration.toNanos();
  }

  @Override
  public Moment now() {
    Moment now = time.now();
    return new Moment(now.monotonicNanos(), now.wallNanos() + aheadNanos);
  }

  @Override
  public void after(Duration delay, Runnable task) {
    time.after(delay, task);
  }
}
