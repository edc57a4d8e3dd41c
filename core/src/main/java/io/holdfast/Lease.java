// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Your time-bounded hold of a lock, from its grant to its release or its loss.
 *
 * <p>A lease knows locally whether it is still held: {@link #isHeld()} and {@link #remaining()}
 * need no round trip, and never over-state what the store promises while the backend's stated
 * assumption holds (see {@link Guarantees}). It belongs to whoever has the object, not to a thread:
 * every method may be called from any thread.
 *
 * <p>A process can be paused at any moment, also between {@code isHeld()} and the write that
 * follows. Only the resource can refuse such a write: send it the {@link #token()}.
 */
public interface Lease extends AutoCloseable {

  /** The lock's name. */
  String name();

  /** The fencing token of this lease. */
  FencingToken token();

  /** The acquisition that this lease belongs to. */
  Holder holder();

  /** How the lock is held. A guard takes exclusive leases only. */
  Mode mode();

  /** How much longer the lease is held at least; zero once it has been released or lost. */
  Duration remaining();

  /** Whether the lease is still held, by this process's own reckoning. */
  boolean isHeld();

  /**
   * Returns if the lease is held for at least the given time from now; renews it first if less than
   * that remains.
   *
   * @throws LeaseLostException if the lease was lost or released
   * @throws BackendException if it had to be renewed and the store failed, or was so slow that less
   *     than the time is left; the lease may still be held until its time is up
   * @throws IllegalArgumentException if the time is negative, or longer than this lease can ever
   *     have left: its lease time less one per cent, and less 2 ms at least
   */
  void ensureHeld(Duration atLeast);

  /**
   * Extends the lease by its lease time from now, in one round trip. There is no need to call this
   * unless the lock was taken {@linkplain DistributedLock#withoutRenewal() without renewal}.
   *
   * @throws LeaseLostException if the lease was lost or released
   * @throws BackendException if the store failed; the lease is still held until its time is up
   */
  void renew();

  /**
   * Completes with the cause if the lease is lost, and never otherwise. When it completes, {@link
   * #isHeld()} is false already. It completes on the executor for callbacks, where dependent
   * actions run unless they are added afterwards.
   */
  CompletionStage<LossCause> loss();

  /**
   * Tells the lease that a resource has seen a newer token, so that this lease must have been lost:
   * it is lost with the cause {@code TAKEN}, and what the store may still keep of it is released in
   * the background. What a guard calls; a token that is not newer changes nothing.
   */
  void reportStale(FencingToken newest);

  /**
   * Ends the lease. It frees this hold only, never that of somebody else. May be repeated: a repeat
   * after a lost reply answers as the first call would have done.
   *
   * @return true if the lease was still held until now, false if it had been lost before
   * @throws BackendException if the store did not confirm it; Holdfast goes on trying in the
   *     background until the lease time is over
   */
  boolean release();

  /**
   * Releases the lease and never throws: what fails is logged. A lease that had run out before is
   * worth a warning, because the lease time was too short for the work.
   */
  @Override
  void close();
}
