// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request on its way to the store and back. */
final class FaultyCall<T> {
  private final String verb;
  private final Network network;
  private final Supplier<CompletionStage<T>> request;
  private final Runnable answered;
  private final CompletableFuture<T> reply = new CompletableFuture<>();

  FaultyCall(
      String verb, Network network, Supplier<CompletionStage<T>> request, Runnable answered) {
    this.verb = verb;
    this.network = network;
    this.request = request;
    this.answered = answered;
    network.begun(this);
  }

  CompletionStage<T> reply() {
    return reply;
  }

  /** There and back, with no fault. */
  void deliver() {
    send(this::answer);
  }

  void deliverSlowly(Duration delayOfReply) {
    send((result, failure) -> network.after(delayOfReply, () -> answer(result, failure)));
  }

  void deliverAndLoseReply() {
    send((result, failure) -> {});
  }

  void deliverAndFail() {
    send((result, failure) -> fail(Outcome.UNKNOWN));
  }

  void fail(Outcome outcome) {
    String message = verb + " failed because a test has scripted it";
    answer(
        null,
        outcome == Outcome.UNKNOWN
            ? BackendException.unknown(message, null)
            : BackendException.notApplied(message, null));
  }

  private void send(BiConsumer<@Nullable T, @Nullable Throwable> then) {
    network.carry(() -> request.get().whenComplete(then));
  }

  private void answer(@Nullable T result, @Nullable Throwable failure) {
    network.carry(
        () -> {
          if (failure == null) {
            reply.complete(result);
          } else {
            reply.completeExceptionally(failure);
          }
          network.answered(this);
          // Last, so that whoever sees the count also sees what the reply has brought about.
          answered.run();
        });
  }
}
