// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Ids of holders, which do not repeat, also not in a clone of this process: one that goes on from a
 * copy of its memory has the same process id and the same count. Stores take two requests of one
 * holder for a repeat, and answer both with the same grant. So 48 bits of each number are drawn
 * when the holder is made, from what a copy of the memory does not contain.
 */
final class HolderIds {
  private static final int RANDOM_BITS = 48;

  private final String process;
  private final LongSupplier entropy;
  private final AtomicLong count = new AtomicLong();

  HolderIds(String process, LongSupplier entropy) {
    this.process = process;
    this.entropy = entropy;
  }

  /** Numbers grow, but for one step back in 32,768. */
  Holder next() {
    long high = count.getAndIncrement() << RANDOM_BITS;
    long low = entropy.getAsLong() >>> (Long.SIZE - RANDOM_BITS);
    return new Holder(process, (high | low) & Long.MAX_VALUE);
  }
}
