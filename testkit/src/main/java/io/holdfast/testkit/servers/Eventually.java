// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit.servers;

import io.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Waiting, in tests with real servers, for what must come in the end. */
public final class Eventually {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Eventually() {}

  /**
   * Waits until it is so.
   *
   * @throws AssertionError if it is not so for a long time
   */
  public static void until(String what, BooleanSupplier isSo) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited in vain until " + what);
      }
      pass(Duration.ofMillis(5));
    }
  }

  /**
   * Waits until the lease is renewed once more, by itself.
   *
   * @throws AssertionError if it is not renewed for a long time
   */
  public static void untilRenewed(Lease lease) {
    AtomicReference<Duration> left = new AtomicReference<>(lease.remaining());
    until(
        "the lease is renewed",
        () -> {
          Duration now = lease.remaining();
          return now.compareTo(left.getAndSet(now)) > 0;
        });
  }

  /** Lets time pass. */
  public static void pass(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", interrupted);
    }
  }
}
