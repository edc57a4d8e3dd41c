// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;

/**
 * A check at a protected resource, which refuses a token that is older than the newest it has seen.
 * To be entered <b>before the first read</b>: a guard that looks at writes alone lets a holder that
 * was paused between its read and its write overwrite what its successor wrote.
 *
 * <p>Entering is half of it. The resource must look at the token again, in one step with each write
 * that follows, because the holder may be paused after it has entered; in a database transaction
 * the row that entering has locked does that.
 */
@FunctionalInterface
public interface Guard {

  /**
   * Makes this the newest token that the resource has seen. Repeating it is harmless: one holder
   * may come as often as it likes.
   *
   * @throws StaleTokenException if the resource has seen a newer one
   */
  void raise(FencingToken token);

  /**
   * Enters with a lease; tells the lease if it turns out to be lost.
   *
   * @throws StaleTokenException if the resource has seen a newer token
   * @throws LeaseLostException if the lease is known to be lost without asking
   * @throws IllegalArgumentException if the lease is not exclusive: the tokens of readers and of
   *     permits are not ordered by who may write
   */
  default void enter(Lease lease) {
    if (!lease.mode().equals(Mode.EXCLUSIVE)) {
      throw new IllegalArgumentException(
          "a guard takes exclusive leases; that of '%s' is %s"
              .formatted(lease.name(), lease.mode()));
    }
    lease.ensureHeld(Duration.ZERO);
    try {
      raise(lease.token());
    } catch (StaleTokenException stale) {
      lease.reportStale(stale.newest());
      throw stale;
    }
  }
}
