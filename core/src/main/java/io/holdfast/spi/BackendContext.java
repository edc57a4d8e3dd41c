// SPDX-License-Identifier: Apache-2.0
package io.holdfast.spi;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend.Acquisition;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * What core offers to a backend: who we are, time, randomness, and its signals. A backend may send
 * them on any thread, twice, late or never; they neither block nor call back.
 */
public interface BackendContext extends TimeSource {

  /** Who asks, in every request of this backend. */
  Origin origin();

  /** Randomness for jitter. */
  RandomGenerator random();

  /** A waiter was made the holder: it needs no further round trip. */
  void granted(Holder holder, Acquisition.Granted grant);

  /** Something changed: it is worth asking for this lock again. */
  void retry(String name);

  /** The store, or our session in it, no longer keeps this hold. */
  void lost(Holder holder, LossCause cause);

  /**
   * The store keeps the holds of this lane for so much less than it promised until now: its clock
   * was set forward. They are renewed at once; those whose time is up by that are lost.
   *
   * <p>Does nothing in a context that watches over no leases.
   */
  default void shortened(Object lane, Duration by) {}

  /**
   * Whether the calling thread makes its next request for itself, and has nothing else to do until
   * that is answered. A backend whose client blocks may then carry the request out on this thread,
   * in bounded time, and saves two hand-overs between threads. On every other thread a backend must
   * not block: it may be the caller's event loop, or the one that renews all leases.
   *
   * <p>True once: requests that follow from the answer are others'.
   */
  default boolean callerWaits() {
    return false;
  }
}
