// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The threads for callbacks: as many as there are processors, which take one task after the other
 * without a pause, so that a short callback wakes nobody.
 *
 * <p><b>More while they stand still.</b> Callbacks are user code, and may wait. If tasks are queued
 * and none has ended for a moment, the threads are doubled; when the queue is empty, those that are
 * too many end when they have been idle for some time.
 */
final class CallbackThreads implements Executor, AutoCloseable {
  private static final Duration MOMENT = Duration.ofMillis(10);
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final int MOST = 4096;

  private final TimeSource time;
  private final int usual = Math.max(2, Runtime.getRuntime().availableProcessors());
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          usual,
          usual,
          IDLE.toNanos(),
          TimeUnit.NANOSECONDS,
          new LinkedBlockingQueue<>(),
          DaemonThreads.named("holdfast-callbacks"));
  private final AtomicBoolean watched = new AtomicBoolean();

  CallbackThreads(TimeSource time) {
    this.time = time;
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
    if (!watched.get() && watched.compareAndSet(false, true)) {
      lookLater();
    }
  }

  private void lookLater() {
    long endedBefore = threads.getCompletedTaskCount();
    time.after(MOMENT, () -> look(endedBefore));
  }

  private void look(long endedBefore) {
    if (threads.getQueue().isEmpty()) {
      resize(usual);
      watched.set(false);
      if (threads.getQueue().isEmpty() || !watched.compareAndSet(false, true)) {
        return;
      }
    } else if (threads.getCompletedTaskCount() == endedBefore) {
      // The system may have no more threads to give, which is an error.
      Answers.run(() -> resize(Math.min(MOST, threads.getCorePoolSize() * 2)));
    }
    lookLater();
  }

  private void resize(int size) {
    if (size > threads.getMaximumPoolSize()) {
      threads.setMaximumPoolSize(size);
      threads.setCorePoolSize(size);
    } else if (size < threads.getCorePoolSize()) {
      threads.setCorePoolSize(size);
      threads.setMaximumPoolSize(size);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
