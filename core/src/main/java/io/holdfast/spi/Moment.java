// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import java.time.Duration;

/**
 * A point in this process's own time. Never stored, never sent: it means nothing elsewhere.
 *
 * <p>It has two readings because neither clock alone is to be trusted: the monotonic one stands
 * still while the machine is suspended, the wall clock may be set back. What has elapsed between
 * two moments is the larger of the two differences, so that a lease is never stretched.
 *
 * @param monotonicNanos a reading of the monotonic clock
 * @param wallNanos a reading of the wall clock, in nanoseconds since the epoch
 */
public record Moment(long monotonicNanos, long wallNanos) {

  /** How much time has passed since an earlier moment, by whichever clock says more. */
  public long nanosSince(Moment earlier) {
    return Math.max(monotonicNanos - earlier.monotonicNanos, wallNanos - earlier.wallNanos);
  }

  /** How much time has passed since an earlier moment, by whichever clock says more. */
  public Duration since(Moment earlier) {
    return Duration.ofNanos(nanosSince(earlier));
  }

  /** The moment so many nanoseconds later. */
  public Moment plusNanos(long nanos) {
    return new Moment(monotonicNanos + nanos, wallNanos + nanos);
  }
}
