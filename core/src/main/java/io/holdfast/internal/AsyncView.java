// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    return tryAcquire(Duration.ZERO);
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
    return ask(wait, (promise, request, answer) -> promise.complete(answer, request::leave));
  }

  @Override
  public CompletableFuture<Lease> acquire(Duration wait) {
    return askFor(wait, (promise, request, lease) -> promise.complete(lease, request::leave));
  }

  @Override
  public <T> CompletableFuture<T> call(Duration wait, Function<Lease, CompletionStage<T>> work) {
    return askFor(
        wait,
        (promise, request, lease) ->
            promise.begin(() -> begin(promise, (RenewingLease) lease, work), request::leave));
  }

  /** What follows from an answer to a request. */
  private interface Step<T, A> {
    void take(Promise<T> promise, Request request, A answer);
  }

  private <T> CompletableFuture<T> askFor(Duration wait, Step<T, Lease> granted) {
    return ask(
        wait,
        (promise, request, answer) ->
            answer.ifPresentOrElse(
                lease -> granted.take(promise, request, lease),
                () -> promise.fail(new LockTimeoutException(terms.name(), wait))));
  }

  /** If the user completes the future, in whatever way, nobody waits for the lock any more. */
  private <T> CompletableFuture<T> ask(Duration wait, Step<T, Optional<Lease>> next) {
    Times.notNegative(wait, "the wait");
    Promise<T> promise = new Promise<>(runtime.settings());
    Request request = Request.begin(runtime, terms, wait);
    Answers.handle(
        request.answer(),
        (answer, failure) -> {
          if (answer != null) {
            next.take(promise, request, answer);
          } else if (failure != null) {
            promise.fail(failure);
          }
        });
    Answers.handle(
        promise.future(),
        (value, failure) -> {
          if (!request.answer().isDone()) {
            request.leave();
          }
        });
    return promise.future();
  }

  /** Whatever the work does, and in whatever way it ends, its lease is released. */
  private <T> void begin(
      Promise<T> promise, RenewingLease lease, Function<Lease, CompletionStage<T>> work) {
    try {
      CompletionStage<T> stage =
          Objects.requireNonNull(work.apply(lease), "the work under a lock must return a stage");
      Answers.handle(stage, (result, failure) -> ended(promise, lease, result, failure));
    } catch (Throwable thrown) {
      ended(promise, lease, null, thrown);
    }
  }

  /** Released first, and then the work's own outcome, unless the lease was lost under it. */
  private <T> void ended(
      Promise<T> promise, RenewingLease lease, @Nullable T result, @Nullable Throwable failure) {
    Answers.handle(
        lease.releaseAsync(),
        (released, unconfirmed) -> {
          if (unconfirmed != null) {
            runtime.events().releaseFailed(lease, unconfirmed);
          }
          if (failure != null) {
            promise.fail(failure);
          } else if (Boolean.FALSE.equals(released)) {
            promise.fail(lease.lostException());
          } else {
            promise.complete(result);
          }
        });
  }

  @Override
  public CompletableFuture<Boolean> release(Lease lease) {
    Promise<Boolean> promise = new Promise<>(runtime.settings());
    Answers.handle(
        ((RenewingLease) lease).releaseAsync(),
        (released, unconfirmed) -> {
          if (unconfirmed != null) {
            promise.fail(unconfirmed);
          } else {
            promise.complete(Boolean.TRUE.equals(released));
          }
        });
    return promise.future();
  }
}
