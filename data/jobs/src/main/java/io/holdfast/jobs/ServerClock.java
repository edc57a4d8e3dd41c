// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Watches the database's clock for steps forward. After one, all workers look dead to it that are
 * alive: their jobs must not be taken before they have found out themselves and have stopped their
 * handlers, which takes no longer than a lease time. A step of less than a twentieth of a lease
 * time is not noticed; workers stop their handlers a tenth of it early.
 */
final class ServerClock {
  private final WorkerParts parts;
  private final Duration leaseTime;
  private @Nullable Instant last;
  private long lastAskedNanos;
  private long steadyFromNanos;

  ServerClock(WorkerParts parts) {
    this.parts = parts;
    this.leaseTime = parts.settings().leaseTime();
  }

  /** Whether the clock has been seen to go on at its pace for a lease time. Asks it once. */
  boolean isSteady() throws SQLException {
    long asked = parts.time().nanos();
    Instant now = parts.database().call(c -> parts.sql().now(c));
    long answered = parts.time().nanos();
    Instant before = last;
    if (before == null || stepped(Duration.between(before, now), answered - lastAskedNanos)) {
      steadyFromNanos = answered + leaseTime.toNanos();
    }
    last = now;
    lastAskedNanos = asked;
    return answered - steadyFromNanos >= 0;
  }

  /** The monotonic clock alone counts here: the time of day may be the database's own. */
  private boolean stepped(Duration passed, long mostNanos) {
    return passed.minusNanos(mostNanos).compareTo(leaseTime.dividedBy(20)) > 0;
  }
}
