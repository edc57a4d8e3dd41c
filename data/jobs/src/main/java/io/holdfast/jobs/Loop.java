// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What a thread of a worker does again and again until the worker is closed. Nothing else ends it:
 * a thread that died of an error would leave a worker that says it lives and works no more.
 */
final class Loop implements Runnable {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final WorkerParts parts;
  private final String what;
  private final BooleanSupplier isOver;
  private final Step step;

  /** One turn. */
  @FunctionalInterface
  interface Step {
    void run() throws InterruptedException;
  }

  /**
   * @param what what the step is for, for messages: the worker could not "...".
   */
  Loop(WorkerParts parts, String what, BooleanSupplier isOver, Step step) {
    this.parts = parts;
    this.what = what;
    this.isOver = isOver;
    this.step = step;
  }

  @Override
  public void run() {
    while (!isOver.getAsBoolean()) {
      try {
        step.run();
      } catch (InterruptedException closingOrStray) {
        // The condition tells which it was.
      } catch (Throwable unexpected) {
        pauseAfter(unexpected);
      }
    }
  }

  /** To say it may fail as well: memory may be what is missing. */
  private void pauseAfter(Throwable unexpected) {
    try {
      parts.events().broken(parts.queue(), what, unexpected);
      parts.time().sleep(PAUSE.toNanos());
    } catch (InterruptedException | RuntimeException | Error again) {
      Thread.onSpinWait();
    }
  }
}
