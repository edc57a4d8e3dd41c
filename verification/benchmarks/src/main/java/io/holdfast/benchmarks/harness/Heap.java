// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.lang.management.ManagementFactory;

/** How much of the heap is in use. */
public final class Heap {
  private Heap() {}

  /**
   * Collects until that frees nothing more: what one collection frees may have kept others alive.
   */
  public static long used() {
    long before = Long.MAX_VALUE;
    long now = collected();
    while (now < before) {
      before = now;
      now = collected();
    }
    return now;
  }

  private static long collected() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
