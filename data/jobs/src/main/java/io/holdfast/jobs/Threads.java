// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import org.jspecify.annotations.Nullable;

/** Threads that do not keep a JVM alive. */
final class Threads {
  private static final long PATIENCE_MILLIS = 5000;

  private Threads() {}

  static Thread start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Waits for its end, but not for ever: it may wait for a database that does not answer. */
  static void join(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    try {
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
