// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Mode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** On what terms a view of a lock asks for it. */
record Terms(
    String name,
    Mode mode,
    Duration leaseTime,
    boolean renews,
    @Nullable Duration maxHold,
    @Nullable String purpose) {

  boolean isExclusive() {
    return mode instanceof Mode.Exclusive;
  }

  Terms shared() {
    return new Terms(name, Mode.SHARED, leaseTime, renews, maxHold, purpose);
  }

  Terms withLeaseTime(Duration leaseTime) {
    return new Terms(name, mode, leaseTime, renews, maxHold, purpose);
  }

  Terms withoutRenewal() {
    return new Terms(name, mode, leaseTime, false, maxHold, purpose);
  }

  Terms withMaxHold(Duration maxHold) {
    return new Terms(name, mode, leaseTime, renews, maxHold, purpose);
  }

  Terms withPurpose(String purpose) {
    return new Terms(name, mode, leaseTime, renews, maxHold, purpose);
  }
}
