// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A {@link DistributedLock} with futures in place of waiting. Futures fail with what the blocking
 * method would have thrown, and are completed on the executor for callbacks, never on a thread of
 * the store's client; so a dependent may wait, or ask for another lock.
 *
 * <p>A future that its user completes before it is answered, by {@code cancel}, {@code orTimeout},
 * {@code complete} or {@code completeExceptionally}, leaves the queue: the caller holds nothing,
 * and what the store may have granted meanwhile is released in the background, as after an
 * interrupt of a {@link DistributedLock}. A future that depends on it, such as the result of {@code
 * thenApply}, does not: complete the future that these methods returned.
 */
public interface AsyncLock {

  /** See {@link DistributedLock#tryAcquire()}. */
  CompletableFuture<Optional<Lease>> tryAcquire();

  /** See {@link DistributedLock#tryAcquire(Duration)}. */
  CompletableFuture<Optional<Lease>> tryAcquire(Duration wait);

  /** See {@link DistributedLock#acquire(Duration)}. */
  CompletableFuture<Lease> acquire(Duration wait);

  /**
   * Acquires the lock, begins the work on the executor for callbacks, and releases the lock when
   * the stage that the work returned is done. The future has the outcome of that stage; it fails
   * with what {@link DistributedLock#call} throws, with what the work throws, and with a {@code
   * NullPointerException} if the work returns no stage. The lock is released in each of these
   * cases, before the future completes.
   *
   * <p>Completing the future while it waits leaves the queue, and the work is not begun. Completing
   * it while the work runs does not end the work: the lease is held until the stage of the work is
   * done.
   */
  <T> CompletableFuture<T> call(Duration wait, Function<Lease, CompletionStage<T>> work);

  /** See {@link Lease#release()}. */
  CompletableFuture<Boolean> release(Lease lease);
}
