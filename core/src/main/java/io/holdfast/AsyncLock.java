// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A {@link DistributedLock} with futures in place of waiting. Cancelling a future leaves the queue
 * and holds nothing. Futures fail with what the blocking method would have thrown, and complete on
 * the executor for callbacks.
 */
public interface AsyncLock {

  /** See {@link DistributedLock#tryAcquire()}. */
  CompletableFuture<Optional<Lease>> tryAcquire();

  /** See {@link DistributedLock#tryAcquire(Duration)}. */
  CompletableFuture<Optional<Lease>> tryAcquire(Duration wait);

  /** See {@link DistributedLock#acquire(Duration)}. */
  CompletableFuture<Lease> acquire(Duration wait);

  /** See {@link DistributedLock#call}: the lease is released when the stage of the work is done. */
  <T> CompletableFuture<T> call(Duration wait, Function<Lease, CompletionStage<T>> work);

  /** See {@link Lease#release()}. */
  CompletableFuture<Boolean> release(Lease lease);
}
