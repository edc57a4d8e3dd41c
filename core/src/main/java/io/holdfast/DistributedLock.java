// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock: a name, and the terms on which this view of it asks. Immutable and stateless; two objects
 * with one name are the same lock, also in different processes. The methods that return a {@code
 * DistributedLock} return another view of the same lock.
 *
 * <p>The bare verb throws when the lock is not granted; {@code try…} returns an empty {@code
 * Optional}. All of them throw {@link BackendException} when the store fails: with {@code
 * NOT_APPLIED} nothing is held; with {@code UNKNOWN} nobody knows, and Holdfast releases in the
 * background whatever may have been granted.
 *
 * <p>An empty answer, {@link LockTimeoutException} and {@code InterruptedException} mean that the
 * caller holds nothing and will be given nothing: its place in the queue is given up. If requests
 * are disturbed just then, the store may show the lock as held by this request until the release
 * that is sent in the background has arrived, at the latest until the lease time is over.
 */
public interface DistributedLock {

  /** The lock's name. */
  String name();

  /** How this view takes the lock. */
  Mode mode();

  /**
   * The same lock, held together with other shared holds: the read side of a read/write lock whose
   * write side is this lock. Served first come, first served, so a writer does not starve.
   *
   * @throws IllegalArgumentException if the backend does not offer it, or for a semaphore
   */
  DistributedLock shared();

  /**
   * The same lock with another lease time: how long the store keeps a hold that is not renewed.
   *
   * @throws IllegalArgumentException if the backend cannot honour it
   */
  DistributedLock withLeaseTime(Duration leaseTime);

  /** The same lock, whose leases end after their lease time unless you renew them. */
  DistributedLock withoutRenewal();

  /** The same lock, whose leases are not renewed beyond this time, so that a wedged holder ends. */
  DistributedLock withMaxHold(Duration maxHold);

  /** The same lock, with a word on what it is for, shown to whoever inspects it. */
  DistributedLock withPurpose(String purpose);

  /** Acquires the lock if it is free: one round trip, and no waiting for another holder. */
  Optional<Lease> tryAcquire();

  /**
   * Acquires the lock, waiting in its queue at most this long.
   *
   * @throws InterruptedException if interrupted; if a request was unanswered then, or had failed
   *     so, it has a suppressed {@link BackendException} with the outcome {@code UNKNOWN}, unless
   *     other threads of this process still wait for the lock or hold it
   */
  Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * Acquires the lock, waiting in its queue at most this long.
   *
   * @throws LockTimeoutException if it was not granted in time
   * @throws InterruptedException as {@link #tryAcquire(Duration)} does
   */
  Lease acquire(Duration wait) throws InterruptedException;

  /**
   * Acquires the lock, does the work, and releases the lock in every case.
   *
   * @return what the work returned
   * @throws LockTimeoutException if the lock was not granted in time; the work was not begun
   * @throws LeaseLostException if the lease was lost before the work was done; the work may have
   *     overlapped with that of another holder
   * @throws E what the work threw
   */
  <T, E extends Exception> T call(Duration wait, LeasedCall<T, E> work)
      throws E, InterruptedException;

  /** {@link #call} for work without a result. */
  <E extends Exception> void run(Duration wait, LeasedRun<E> work) throws E, InterruptedException;

  /** The same lock, with futures in place of waiting. */
  AsyncLock async();

  /**
   * The same lock as a thread-bound, re-entrant {@code java.util.concurrent} lock, for code that
   * wants one. The token does not change on re-entry. Conditions are not supported.
   *
   * <p>A thread whose lease was lost does not re-enter: {@code lock} and {@code lockInterruptibly}
   * throw {@link LeaseLostException}, and both forms of {@code tryLock} return false at once, until
   * the thread has unlocked as often as it had locked. Unlocking a lock whose lease was lost logs a
   * warning and does not throw.
   */
  Lock asJavaLock();

  /** Who holds the lock now, and who waits. */
  LockState inspect();

  /** Work under a lock that returns something. */
  @FunctionalInterface
  interface LeasedCall<T, E extends Exception> {
    T call(Lease lease) throws E;
  }

  /** Work under a lock. */
  @FunctionalInterface
  interface LeasedRun<E extends Exception> {
    void run(Lease lease) throws E;
  }
}
