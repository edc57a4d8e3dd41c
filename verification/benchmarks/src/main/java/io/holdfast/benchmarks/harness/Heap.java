// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.lang.management.ManagementFactory;

/** How much of the heap is in use. */
public final class Heap {
  private Heap() {}

  /** Twice, because what the first collection frees may have kept other things alive. */
  public static long used() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
