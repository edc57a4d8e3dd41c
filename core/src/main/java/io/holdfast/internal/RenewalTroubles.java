// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * In which lanes renewals fail now: a trouble is told of when it begins and when it ends, however
 * many renewals fail between. It is forgotten when the leases that it befell have run out.
 */
final class RenewalTroubles {
  private record Trouble(Moment since, long overNanos) {}

  private final LockRuntime runtime;
  private final Map<Object, Trouble> troubles = new HashMap<>();

  RenewalTroubles(LockRuntime runtime) {
    this.runtime = runtime;
  }

  /** Renewals of some leases have failed, of which the longest has this lease time. */
  void failed(Object lane, int leases, Duration leaseTime, @Nullable Throwable problem) {
    Moment now = runtime.now();
    boolean begins;
    synchronized (this) {
      troubles.values().removeIf(trouble -> trouble.overNanos - now.monotonicNanos() < 0);
      Trouble known = troubles.get(lane);
      begins = known == null;
      long overNanos = now.monotonicNanos() + leaseTime.toNanos();
      troubles.put(lane, new Trouble(known == null ? now : known.since, overNanos));
    }
    if (begins) {
      runtime.events().renewalsFail(leases, problem);
    }
  }

  void succeeded(Object lane) {
    Trouble ended;
    synchronized (this) {
      ended = troubles.remove(lane);
    }
    if (ended != null) {
      runtime.events().renewalsSucceed(runtime.now().since(ended.since));
    }
  }
}
