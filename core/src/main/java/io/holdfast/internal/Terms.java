// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Mode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * On what terms a view of a lock asks for it.
 *
 * @param manner all but the name; usually the same for all locks of a {@link io.holdfast.Holdfast},
 *     so that many leases share it
 */
record Terms(String name, Manner manner) {

  /** How a lock is asked for, whichever it is. */
  record Manner(
      Mode mode,
      Duration leaseTime,
      boolean renews,
      @Nullable Duration maxHold,
      @Nullable String purpose) {}

  Mode mode() {
    return manner.mode;
  }

  Duration leaseTime() {
    return manner.leaseTime;
  }

  @Nullable String purpose() {
    return manner.purpose;
  }

  boolean isExclusive() {
    return manner.mode instanceof Mode.Exclusive;
  }

  Terms shared() {
    return with(Mode.SHARED, manner.leaseTime, manner.renews, manner.maxHold, manner.purpose);
  }

  Terms withLeaseTime(Duration leaseTime) {
    return with(manner.mode, leaseTime, manner.renews, manner.maxHold, manner.purpose);
  }

  Terms withoutRenewal() {
    return with(manner.mode, manner.leaseTime, false, manner.maxHold, manner.purpose);
  }

  Terms withMaxHold(Duration maxHold) {
    return with(manner.mode, manner.leaseTime, manner.renews, maxHold, manner.purpose);
  }

  Terms withPurpose(String purpose) {
    return with(manner.mode, manner.leaseTime, manner.renews, manner.maxHold, purpose);
  }

  private Terms with(
      Mode mode,
      Duration leaseTime,
      boolean renews,
      @Nullable Duration maxHold,
      @Nullable String purpose) {
    return new Terms(name, new Manner(mode, leaseTime, renews, maxHold, purpose));
  }
}
