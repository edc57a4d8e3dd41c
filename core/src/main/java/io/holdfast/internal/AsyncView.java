// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The asynchronous view of a lock. */
final class AsyncView implements AsyncLock {
  private final LockRuntime runtime;
  private final Terms terms;

  AsyncView(LockRuntime runtime, Terms terms) {
    this.runtime = runtime;
    this.terms = terms;
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire() {
    return answer(Duration.ZERO, Function.identity());
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
    return answer(Times.notNegative(wait, "the wait"), Function.identity());
  }

  @Override
  public CompletableFuture<Lease> acquire(Duration wait) {
    return answer(
        Times.notNegative(wait, "the wait"),
        granted -> granted.orElseThrow(() -> new LockTimeoutException(terms.name(), wait)));
  }

  /** The caller's own future: cancelling it withdraws the request, and nothing stays held. */
  private <T> CompletableFuture<T> answer(Duration wait, Function<Optional<Lease>, T> shape) {
    Request request = Request.begin(runtime, terms, wait);
    CompletableFuture<T> callers = new CompletableFuture<>();
    Answers.handle(
        request.answer(),
        (granted, failure) ->
            runtime
                .settings()
                .callbacks()
                .execute(
                    () -> {
                      if (granted == null) {
                        callers.completeExceptionally(failure);
                      } else if (!complete(callers, granted, shape)) {
                        request.leave();
                      }
                    }));
    Answers.handle(
        callers,
        (value, failure) -> {
          if (callers.isCancelled()) {
            request.leave();
          }
        });
    return callers;
  }

  private static <T> boolean complete(
      CompletableFuture<T> callers, Optional<Lease> granted, Function<Optional<Lease>, T> shape) {
    try {
      return callers.complete(shape.apply(granted));
    } catch (LockTimeoutException notGranted) {
      return callers.completeExceptionally(notGranted);
    }
  }

  @Override
  public <T> CompletableFuture<T> call(Duration wait, Function<Lease, CompletionStage<T>> work) {
    return acquire(wait).thenCompose(lease -> begin(work, lease).thenCompose(Function.identity()));
  }

  private <T> CompletableFuture<CompletionStage<T>> begin(
      Function<Lease, CompletionStage<T>> work, Lease lease) {
    CompletionStage<T> stage;
    try {
      stage = work.apply(lease);
    } catch (RuntimeException thrown) {
      stage = CompletableFuture.failedFuture(thrown);
    }
    return stage
        .handle((result, failure) -> ended((RenewingLease) lease, result, failure))
        .toCompletableFuture();
  }

  /**
   * Released in every case, and then the work's own outcome, unless the lease was lost under it.
   */
  private <T> CompletionStage<T> ended(
      RenewingLease lease, @Nullable T result, @Nullable Throwable failure) {
    return lease
        .releaseAsync()
        .handle(
            (released, unconfirmed) -> {
              if (failure != null) {
                throw new CompletionException(failure);
              }
              if (unconfirmed == null && !released) {
                throw lease.lostException();
              }
              return result;
            });
  }

  @Override
  public CompletableFuture<Boolean> release(Lease lease) {
    return ((RenewingLease) lease)
        .releaseAsync()
        .thenApplyAsync(Function.identity(), runtime.settings().callbacks());
  }
}
