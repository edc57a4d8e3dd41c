// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A future that a user has. Every one of them is a promise: dependents run on the thread that
 * completes a future, so the runtime completes it on the executor for callbacks, and never on a
 * thread of a store's client, which a dependent could block.
 *
 * <p>A user may complete the future too. The first completion counts.
 */
final class Promise<T> {
  private final Executor callbacks;
  private final CompletableFuture<T> future = new CompletableFuture<>();

  Promise(Settings settings) {
    this.callbacks = settings.callbacks();
  }

  /** What the user gets. */
  CompletableFuture<T> future() {
    return future;
  }

  /** Completes the future, later and on the executor. */
  void complete(@Nullable T value) {
    complete(value, () -> {});
  }

  /**
   * As {@link #complete(Object)}.
   *
   * @param unwanted what to do if the user has completed the future meanwhile
   */
  void complete(@Nullable T value, Runnable unwanted) {
    callbacks.execute(
        () -> {
          if (!future.complete(value)) {
            unwanted.run();
          }
        });
  }

  /** Fails the future, later and on the executor. */
  void fail(Throwable failure) {
    Throwable cause = failure.getCause();
    Throwable own = failure instanceof CompletionException && cause != null ? cause : failure;
    callbacks.execute(() -> future.completeExceptionally(own));
  }

  /**
   * Has the user's code do its part, later and on the executor.
   *
   * @param unwanted what to do instead if the user has completed the future meanwhile
   */
  void begin(Runnable work, Runnable unwanted) {
    callbacks.execute(() -> (future.isDone() ? unwanted : work).run());
  }
}
