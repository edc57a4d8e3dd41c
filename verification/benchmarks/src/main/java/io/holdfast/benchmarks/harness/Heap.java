// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.lang.management.ManagementFactory;

/** How much of the heap is in use. */
public final class Heap {
  /** So often in a row a collection frees nothing to speak of. */
  private static final int CALM = 3;

  /** Less than half a byte for each of 100,000 leases. */
  private static final long NOTABLE_BYTES = 50_000;

  private Heap() {}

  /**
   * Collects until that frees nothing more: what one collection frees may have kept others alive,
   * and threads of the JVM and of libraries take a moment to let go of what is left.
   */
  public static long used() throws InterruptedException {
    long least = collected();
    int calm = 0;
    while (calm < CALM) {
      Thread.sleep(100);
      long now = collected();
      calm = now < least - NOTABLE_BYTES ? 0 : calm + 1;
      least = Math.min(least, now);
    }
    return least;
  }

  private static long collected() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
