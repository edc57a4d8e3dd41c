// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Lease;
import io.holdfast.LockListener.Reason;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One caller that wants a lease, and its answer. It is served by an attempt of its own, or as a
 * waiter in a {@link LocalQueue}; the answer comes once, on any thread.
 */
final class Request implements Attempt.Caller {
  private final LockRuntime runtime;
  private final Terms terms;
  private final Duration wait;
  private final Moment asked;
  private final @Nullable String correlationId;
  private final CompletableFuture<Optional<Lease>> answer = new CompletableFuture<>();
  private @Nullable LocalQueue queue;
  private @Nullable Attempt attempt;
  private boolean first = true;

  private Request(LockRuntime runtime, Terms terms, Duration wait) {
    this.runtime = runtime;
    this.terms = terms;
    this.wait = wait;
    this.asked = runtime.now();
    this.correlationId = runtime.events().correlationId();
  }

  static Request begin(LockRuntime runtime, Terms terms, Duration wait) {
    Request request = new Request(runtime, terms, wait);
    boolean queues = !wait.isZero() && terms.isExclusive() && runtime.settings().passes() > 0;
    if (!runtime.isGranting()) {
      request.failed(LockRuntime.closed(terms.name()));
    } else if (queues) {
      runtime.localQueues().join(request);
    } else {
      request.attempt =
          new Attempt(runtime, terms, 0, !wait.isZero(), request.deadlineNanos(), request);
      request.attempt.start();
    }
    if (!runtime.isGranting()) {
      request.close(); // Closing may have overlooked it.
    }
    return request;
  }

  Terms terms() {
    return terms;
  }

  @Nullable String correlationId() {
    return correlationId;
  }

  long deadlineNanos() {
    return asked.monotonicNanos() + Times.nanos(wait);
  }

  CompletableFuture<Optional<Lease>> answer() {
    return answer;
  }

  Duration waited() {
    return runtime.now().since(asked);
  }

  /**
   * @param first whether nobody of this process holds the lock or waits for it: then the answer is
   *     the store's
   */
  void joins(LocalQueue queue, boolean first) {
    this.queue = queue;
    this.first = first;
  }

  /** Waits for the answer. */
  Optional<Lease> await() throws InterruptedException {
    try {
      return first ? runtime.settings().waiting().grants().await(answer) : answer.get();
    } catch (InterruptedException interrupted) {
      leave();
      addDoubt(interrupted);
      throw interrupted;
    } catch (ExecutionException failed) {
      throw LockRuntime.rethrown(failed.getCause());
    }
  }

  private void addDoubt(InterruptedException interrupted) {
    Answers.handle(
        answer,
        (granted, failure) -> {
          if (failure instanceof BackendException known && known.outcome() == Outcome.UNKNOWN) {
            interrupted.addSuppressed(known);
          }
        });
  }

  /**
   * @param last the attempt of its queue, if it was the last waiter for which that stood
   */
  void leavesWith(@Nullable Attempt last) {
    attempt = last;
  }

  /** Leaves the queue, and gives back whatever was granted meanwhile: nobody waits any more. */
  void leave() {
    if (withdraw()) {
      rejected(Reason.LEFT);
      BackendException doubt = attempt == null ? null : attempt.doubt();
      if (doubt != null) {
        answer.completeExceptionally(doubt);
      }
      answer.cancel(false);
    } else {
      Answers.handle(
          answer,
          (granted, failure) -> {
            if (granted != null && granted.orElse(null) instanceof RenewingLease lease) {
              lease.giveBack();
            }
          });
    }
  }

  /** The runtime is closing. */
  void close() {
    if (withdraw()) {
      failed(LockRuntime.closed(terms.name()));
    }
  }

  private boolean withdraw() {
    LocalQueue waitsIn = queue;
    Attempt own = attempt;
    return waitsIn != null ? waitsIn.withdraw(this) : own != null && own.leave();
  }

  @Override
  public void granted(Attempt attempt, Granted grant) {
    LiveHold hold = new LiveHold(runtime, attempt.hold(), grant, null, this);
    hold.start(attempt);
    served(hold.lease(), attempt.wasContended());
  }

  @Override
  public void missed(Attempt attempt) {
    missed();
  }

  @Override
  public void failed(Attempt attempt, RuntimeException failure) {
    failed(failure);
  }

  void served(RenewingLease lease, boolean contended) {
    runtime.events().acquired(lease, waited(), contended);
    if (!answer.complete(Optional.of(lease))) {
      lease.giveBack();
    }
  }

  void missed() {
    rejected(Reason.HELD);
    answer.complete(Optional.empty());
  }

  void failed(RuntimeException failure) {
    rejected(reasonOf(failure));
    answer.completeExceptionally(failure);
  }

  private Reason reasonOf(RuntimeException failure) {
    if (!runtime.isGranting()) {
      return Reason.CLOSED;
    }
    if (failure instanceof BackendException known) {
      return known.outcome() == Outcome.UNKNOWN ? Reason.UNKNOWN : Reason.NOT_APPLIED;
    }
    return Reason.REFUSED;
  }

  private void rejected(Reason reason) {
    runtime.events().rejected(this, reason);
  }
}
