// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;

/** Pauses between failures: each twice as long as the one before, up to a longest. */
final class BackOff {
  private final Duration shortest;
  private final Duration longest;
  private Duration next;

  BackOff(Duration shortest, Duration longest) {
    this.shortest = shortest;
    this.longest = longest;
    this.next = shortest;
  }

  /** It has failed once more: how long to pause. */
  synchronized Duration failed() {
    Duration pause = next;
    Duration twice = pause.multipliedBy(2);
    next = twice.compareTo(longest) < 0 ? twice : longest;
    return pause;
  }

  /** All is well. */
  synchronized void reset() {
    next = shortest;
  }
}
