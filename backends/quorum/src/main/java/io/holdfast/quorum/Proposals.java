// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.BackendContext;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbers that we propose: the time in microseconds, and never one that is not above all that
 * we have seen. If the nodes' numbers are ahead of our clock we go on from theirs, because a
 * proposal that all nodes accept makes a grant in one round.
 */
final class Proposals {
  private final BackendContext context;
  private final AtomicLong newest = new AtomicLong();
  private final AtomicLong leadMicros = new AtomicLong();

  Proposals(BackendContext context) {
    this.context = context;
  }

  long next() {
    long proposed = micros() + leadMicros.get();
    return newest.accumulateAndGet(proposed, (seen, now) -> Math.max(seen + 1, now));
  }

  /** A node gave out this number, or has heard of it. */
  void seen(long number) {
    newest.accumulateAndGet(number, Math::max);
    leadMicros.accumulateAndGet(number - micros(), Math::max);
  }

  /** No number of ours is above it. */
  long newest() {
    return newest.get();
  }

  private long micros() {
    return context.now().wallNanos() / 1000;
  }
}
