// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What a server took over from others, and has yet to be asked about. */
final class Succession {
  private final ServerClock clock;
  private final Set<ServerClock> formerClocks = new HashSet<>();
  private boolean isOpen;

  /**
   * @param clock by which it goes from now on
   */
  Succession(ServerClock clock) {
    this.clock = clock;
  }

  /**
   * @param former by which it was promised
   */
  synchronized void begin(Collection<ServerClock> former) {
    isOpen = true;
    formerClocks.addAll(former);
  }

  /** Ends it. Returns by how much earlier holds end, or empty if nothing was taken over. */
  synchronized Optional<Duration> settle() {
    if (!isOpen) {
      return Optional.empty();
    }
    isOpen = false;
    long aheadMicros = 0;
    for (ServerClock former : formerClocks) {
      aheadMicros = Math.max(aheadMicros, clock.microsAheadOf(former));
    }
    formerClocks.clear();
    return Optional.of(Duration.ofNanos(aheadMicros * 1000));
  }
}
