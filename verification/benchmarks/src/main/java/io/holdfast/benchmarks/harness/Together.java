// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Does many things with a few threads: to prepare what is to be measured. */
public final class Together {
  private static final int THREADS = 16;

  /** One of the things. */
  public interface Task {
    void run(int number) throws Exception;
  }

  private Together() {}

  /** Does them all, and throws what went wrong. */
  public static void run(int count, Task task) throws Exception {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Exception> failure = new AtomicReference<>();
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                  try {
                    task.run(n);
                  } catch (Exception failed) {
                    failure.set(failed);
                    return;
                  }
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Exception failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }
}
