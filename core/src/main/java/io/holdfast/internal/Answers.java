// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ends of chains, where an exception would otherwise vanish in a future that nobody reads. */
final class Answers {
  private static final Logger log = LoggerFactory.getLogger(Answers.class);

  private Answers() {}

  /** Handles the answer; a defect of the handler is logged. */
  static <T> void handle(
      CompletionStage<T> answer,
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> handler) {
    if (answer instanceof CompletableFuture<T> done
        && done.isDone()
        && !done.isCompletedExceptionally()) {
      accept(handler, done.join(), null);
      return;
    }
    var unused = answer.whenComplete((value, problem) -> accept(handler, value, problem));
  }

  private static <T> void accept(
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> handler,
      @Nullable T value,
      @Nullable Throwable problem) {
    try {
      handler.accept(value, problem);
    } catch (Throwable defect) {
      report(defect);
    }
  }

  /** The task, with its defects logged. */
  static Runnable guarded(Runnable task) {
    return () -> run(task);
  }

  /**
   * Runs the task; its defects are logged. What has to go on after it does, also after an error.
   */
  static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable defect) {
      report(defect);
    }
  }

  private static void report(Throwable defect) {
    log.atError().setCause(defect).log("a defect of Holdfast; please report it");
  }
}
