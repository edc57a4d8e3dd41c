// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executor for callbacks. What it refuses, because it is full or shut down, runs on threads
 * that all runtimes of this process share: a caller that is never told would be worse, and the
 * present thread may be that of a store's client. Tasks do not throw.
 */
record Callbacks(Executor threads) implements Executor {
  private static final Logger log = LoggerFactory.getLogger(Callbacks.class);
  private static final int MOST = 64;
  private static final ThreadPoolExecutor REFUSED = refused();

  private static ThreadPoolExecutor refused() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            MOST,
            MOST,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("holdfast-refused-callbacks"));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  @Override
  public void execute(Runnable task) {
    Runnable once = new Once(task);
    try {
      threads.execute(once);
    } catch (Throwable refused) {
      log.atDebug().log("the executor for callbacks refused a task: {}", refused.toString());
      runElsewhere(once);
    }
  }

  private static void runElsewhere(Runnable task) {
    try {
      REFUSED.execute(task);
    } catch (Throwable noThread) {
      log.atWarn().log("no thread for a callback, which runs in place: {}", noThread.toString());
      task.run();
    }
  }

  /** An executor may throw after it has taken or run a task. */
  private static final class Once extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1L;

    private final transient Runnable task;

    Once(Runnable task) {
      this.task = Answers.guarded(task);
    }

    @Override
    public void run() {
      if (compareAndSet(false, true)) {
        task.run();
      }
    }
  }
}
