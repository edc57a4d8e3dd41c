// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Beginnings and ends of chains, where an exception would otherwise vanish. */
final class Futures {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  private Futures() {}

  /** What is thrown at once fails the stage too. */
  static <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> request) {
    try {
      return request.get();
    } catch (RuntimeException thrown) {
      return CompletableFuture.failedFuture(thrown);
    }
  }

  /** Handles the answer; a defect of the handler is logged. */
  static <T> void handle(
      CompletionStage<T> answer,
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> handler) {
    var unused =
        answer.whenComplete(
            (value, problem) -> {
              try {
                handler.accept(value, problem);
              } catch (RuntimeException defect) {
                LOG.atError().setCause(defect).log("a defect of Holdfast; please report it");
              }
            });
  }

  /** For what is done in the hope that it helps. */
  static <T> void ignore(Supplier<CompletionStage<T>> request) {
    handle(begin(request), (value, problem) -> {});
  }
}
