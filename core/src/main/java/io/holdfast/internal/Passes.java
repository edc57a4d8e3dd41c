// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.spi.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * To whom, until when and how often a hold may be passed on, and as whose the store knows it.
 * Guarded by the hold.
 */
final class Passes {
  private final Holder first;
  private final LocalQueue queue;
  private final Moment granted;
  private final Duration time;
  private int left;

  Passes(Holder first, LocalQueue queue, Moment granted, Duration time, int left) {
    this.first = first;
    this.queue = queue;
    this.granted = granted;
    this.time = time;
    this.left = left;
  }

  Holder first() {
    return first;
  }

  LocalQueue queue() {
    return queue;
  }

  /** The waiter that is passed the hold now, if the bounds allow it. */
  @Nullable Request next(Moment now) {
    boolean may = left > 0 && now.nanosSince(granted) < time.toNanos();
    Request next = may ? queue.next() : null;
    if (next != null) {
      left--;
    }
    return next;
  }
}
