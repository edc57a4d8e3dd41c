// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wake-ups. Each node says by itself that a lock was released; the first to say so is ahead of the
 * others, whose votes would still be refused. So we ask again when a majority has said it, or a
 * moment after the first.
 */
final class Hints {
  private static final int SHORTEST_MILLIS = 3;
  private static final int LONGEST_MILLIS = 12;

  private final BackendContext context;
  private final int majority;
  private final Map<String, BitSet> heard = new ConcurrentHashMap<>();

  Hints(BackendContext context, int majority) {
    this.context = context;
    this.majority = majority;
  }

  void heard(int node, String name) {
    BitSet nodes =
        heard.compute(
            name,
            (unused, known) -> {
              BitSet all = known == null ? new BitSet() : (BitSet) known.clone();
              all.set(node);
              return all.cardinality() >= majority ? null : all;
            });
    if (nodes == null) {
      context.retry(name);
    } else if (nodes.cardinality() == 1) {
      int millis = context.random().nextInt(SHORTEST_MILLIS, LONGEST_MILLIS);
      context.after(
          Duration.ofMillis(millis),
          () -> {
            if (heard.remove(name) != null) {
              context.retry(name);
            }
          });
    }
  }
}
