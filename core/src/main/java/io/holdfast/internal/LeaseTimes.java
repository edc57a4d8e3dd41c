// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Guarantees;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The lease time that was chosen, and by what means; or none, where the default applies. */
record LeaseTimes(@Nullable Duration chosen, String means) {
  private static final Duration USUAL = Duration.ofSeconds(30);

  static LeaseTimes from(Environment environment) {
    String variable = "HOLDFAST_LEASE_TIME";
    return new LeaseTimes(environment.time(variable).orElse(null), variable);
  }

  /** The chosen time if the backend can honour it; or the default, as near as the backend can. */
  Duration in(Guarantees backend) {
    return chosen == null ? nearest(USUAL, backend) : valid(chosen, means, backend);
  }

  /**
   * Refuses what the backend cannot honour.
   *
   * @param means what the time was set by, for the message
   */
  static Duration valid(Duration leaseTime, String means, Guarantees backend) {
    if (!nearest(leaseTime, backend).equals(leaseTime)) {
      throw new IllegalArgumentException(
          "lease time must be between %s and %s with the %s backend: %s (set by %s)"
              .formatted(
                  backend.shortestLeaseTime(),
                  backend.longestLeaseTime(),
                  backend.backend(),
                  leaseTime,
                  means));
    }
    return leaseTime;
  }

  private static Duration nearest(Duration leaseTime, Guarantees backend) {
    if (leaseTime.compareTo(backend.longestLeaseTime()) > 0) {
      return backend.longestLeaseTime();
    }
    return leaseTime.compareTo(backend.shortestLeaseTime()) < 0
        ? backend.shortestLeaseTime()
        : leaseTime;
  }
}
