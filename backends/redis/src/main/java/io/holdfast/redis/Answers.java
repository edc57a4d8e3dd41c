// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ends of chains, where an exception would otherwise vanish in a future that nobody reads. */
final class Answers {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  private Answers() {}

  /** Handles the answer; a defect of the handler is logged. */
  static <T> void handle(
      CompletionStage<T> answer,
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> handler) {
    var unused =
        answer.whenComplete(
            (value, problem) -> {
              try {
                handler.accept(value, problem);
              } catch (Throwable defect) {
                LOG.atError().setCause(defect).log("a defect of Holdfast; please report it");
              }
            });
  }

  /** The same answer, of which a failure is a typed one. */
  static <T> CompletableFuture<T> typed(String what, CompletionStage<T> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    handle(
        request,
        (value, failure) -> {
          if (failure == null) {
            answer.complete(value);
          } else {
            answer.completeExceptionally(Failures.of(what, failure));
          }
        });
    return answer;
  }

  /** For what is done in the hope that it helps: somebody asks again if it does not. */
  static void ignore(CompletionStage<?> answer) {
    handle(answer, (value, problem) -> {});
  }
}
