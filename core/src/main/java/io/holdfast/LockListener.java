// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears of everything that happens to the leases of one {@link Holdfast}: the one hook for metrics,
 * logs and consoles. Called in order, one event at a time, on the executor for callbacks; what it
 * throws is logged and harms nothing.
 */
public interface LockListener {

  /** A lease was granted. */
  default void acquired(Acquired event) {}

  /** A lease was extended by the store. */
  default void renewed(Renewed event) {}

  /** A lease was released by its owner. */
  default void released(Released event) {}

  /** A lease ended in any other way. */
  default void lost(Lost event) {}

  /** A lock was asked for and not granted. */
  default void rejected(Rejected event) {}

  /**
   * The JVM shuts down. From now on nothing is granted; what is held is kept until it is released,
   * for at most the {@linkplain Holdfast.Builder#shutdownGrace grace}. Not called by {@link
   * Holdfast#close()}.
   */
  default void shuttingDown(ShuttingDown event) {}

  /**
   * The lease that an event is about.
   *
   * @param name the lock's name
   * @param mode how it is held
   * @param holder the acquisition
   * @param leaseTime its lease time
   * @param correlationId what the caller's logging context said when it asked
   */
  record Subject(
      String name, Mode mode, Holder holder, Duration leaseTime, @Nullable String correlationId) {}

  /**
   * A lease was granted.
   *
   * @param subject the lease
   * @param token the lease's token
   * @param waited how long the caller waited
   * @param contended whether somebody else held the lock when it was asked for
   */
  record Acquired(Subject subject, FencingToken token, Duration waited, boolean contended) {}

  /**
   * A lease was extended.
   *
   * @param subject the lease
   * @param token the lease's token
   */
  record Renewed(Subject subject, FencingToken token) {}

  /**
   * A lease was released.
   *
   * @param subject the lease
   * @param token the lease's token
   * @param held how long it was held
   */
  record Released(Subject subject, FencingToken token, Duration held) {}

  /**
   * A lease was lost.
   *
   * @param subject the lease
   * @param token the lease's token
   * @param held how long it was held
   * @param cause why it was lost
   */
  record Lost(Subject subject, FencingToken token, Duration held, LossCause cause) {}

  /**
   * A lock was asked for and not granted.
   *
   * @param name the lock's name
   * @param mode how it was to be held
   * @param waited how long the caller waited
   * @param reason why it was not granted
   * @param correlationId what the caller's logging context said when it asked
   */
  record Rejected(
      String name, Mode mode, Duration waited, Reason reason, @Nullable String correlationId) {}

  /**
   * The JVM shuts down.
   *
   * @param leases how many leases are held
   * @param grace for how long they are kept
   */
  record ShuttingDown(int leases, Duration grace) {}

  /** Why a lock was not granted. */
  enum Reason {
    /** Others held it for as long as the caller was willing to wait. */
    HELD,
    /** The name is in use as another kind of lock. */
    REFUSED,
    /** The caller was interrupted, or cancelled its request. */
    LEFT,
    /** The store failed, and nothing happened. */
    NOT_APPLIED,
    /** The store failed, and nobody knows what happened. */
    UNKNOWN,
    /** The {@link Holdfast} was closed, or the JVM shuts down. */
    CLOSED
  }
}
