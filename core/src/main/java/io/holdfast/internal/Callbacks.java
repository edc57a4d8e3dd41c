// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executor for callbacks. What it refuses, because it is full or shut down, runs where it is: a
 * caller that is never told would be worse.
 */
record Callbacks(Executor threads) implements Executor {
  private static final Logger log = LoggerFactory.getLogger(Callbacks.class);

  @Override
  public void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException refused) {
      log.atDebug().log("the executor for callbacks refused a task; running it here");
      task.run();
    }
  }
}
