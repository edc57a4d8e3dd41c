// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs tasks one at a time and in order, on the threads of another executor. */
final class SerialExecutor implements Executor {
  private final Executor threads;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (pending.getAndIncrement() == 0) {
      threads.execute(this::drain);
    }
  }

  private void drain() {
    int done = 0;
    do {
      Runnable task = tasks.poll();
      if (task != null) {
        Answers.run(task);
      }
      done = pending.decrementAndGet();
    } while (done > 0);
  }
}
