// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits until something is so; how long that takes is what a slow machine makes of it. */
final class Await {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private Await() {}

  static void until(String what, Callable<Boolean> isSo) throws Exception {
    long start = System.nanoTime();
    while (!isSo.call()) {
      if (System.nanoTime() - start > LONGEST.toNanos()) {
        throw new AssertionError("not within " + LONGEST + ": " + what);
      }
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
  }
}
