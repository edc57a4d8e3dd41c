// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that blocks, made deterministic: it has a thread of its own, but either that thread runs
 * or the simulation does, never both. It runs until it ends or waits for a future, and again when
 * that future is complete. A client has at most one that is under way: two of them could wake each
 * other.
 */
final class Fibre {
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "fibre");
            thread.setDaemon(true);
            return thread;
          });

  private final World world;
  private final Runnable call;
  private volatile @Nullable Thread thread;
  private volatile boolean ended;
  private boolean started;

  Fibre(World world, Runnable call) {
    this.world = world;
    this.call = call;
  }

  private void run() {
    thread = Thread.currentThread();
    try {
      call.run();
    } finally {
      ended = true;
    }
  }

  /** Returns when the call has ended (true) or waits for something that has not happened. */
  boolean settle() {
    if (!started) {
      started = true;
      var unused = THREADS.submit(this::run);
    }
    waitWhile(() -> !ended && !waits(thread));
    return ended;
  }

  /** Interrupts the call, and returns when it has ended or waits for something else. */
  void interrupt() {
    Thread waiting = thread;
    if (waiting != null && !settle()) {
      Object before = LockSupport.getBlocker(waiting);
      waiting.interrupt();
      waitWhile(() -> !ended && LockSupport.getBlocker(waiting) == before);
      settle();
    }
  }

  /** Meanwhile the world is the call's. */
  private void waitWhile(BooleanSupplier running) {
    Thread simulation = Thread.currentThread();
    while (running.getAsBoolean()) {
      Thread caller = thread;
      if (caller != null) {
        world.handTo(caller);
      }
      LockSupport.parkNanos(1_000);
    }
    world.handTo(simulation);
  }

  /** What a thread waits for in {@code CompletableFuture.get} is a managed blocker. */
  private static boolean waits(@Nullable Thread thread) {
    return thread != null
        && thread.getState() == Thread.State.WAITING
        && LockSupport.getBlocker(thread) instanceof ManagedBlocker blocker
        && !blocker.isReleasable();
  }
}
