// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The time of this machine, for stores that have a clock of their own. */
final class RealTime implements TimeSource {

  @Override
  public Moment now() {
    long wallNanos = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    return new Moment(System.nanoTime(), wallNanos);
  }

  @Override
  public void after(Duration delay, Runnable task) {
    CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
  }
}
