// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.spi.Moment;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** Time of workers that passes when a test says so. The database has its own. */
final class ManualWorkerTime implements WorkerTime {
  /** Threads of a worker at rest: claimer, heart, the heart's watch, keeper, recurrences. */
  private static final int THREADS = 5;

  private final ManualTime time = new ManualTime();
  private final Set<Object> asleep = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();

  @Override
  public Moment now() {
    return time.now();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    fallAsleep(over, nanos, over::countDown);
    over.await();
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // The caller has the loop: this may return early.
  public void await(Object monitor, long nanos) throws InterruptedException {
    Object sleeper = new Object();
    fallAsleep(sleeper, nanos, () -> wake(monitor));
    try {
      monitor.wait();
    } finally {
      asleep.remove(sleeper);
    }
  }

  private void fallAsleep(Object sleeper, long nanos, Runnable wakeUp) {
    asleep.add(sleeper);
    time.after(
        Duration.ofNanos(nanos),
        () -> {
          asleep.remove(sleeper);
          due.add(wakeUp);
        });
  }

  /** Threads wake when the time has passed, so that what they see does not depend on their pace. */
  void advance(Duration duration) {
    time.advance(duration);
    for (Runnable wakeUp = due.poll(); wakeUp != null; wakeUp = due.poll()) {
      wakeUp.run();
    }
  }

  private static void wake(Object monitor) {
    synchronized (monitor) {
      monitor.notifyAll();
    }
  }

  /** Waits until a worker has done all that is to be done at this time. */
  void awaitRest() {
    Eventually.until("the worker is at rest", () -> asleep.size() == THREADS);
  }

  /** Lets time pass for a worker that is at rest. */
  void pass(Duration duration) {
    awaitRest();
    advance(duration);
  }

  /** Lets time pass, a little at a time, until it is so. */
  void passUntil(String what, BooleanSupplier isSo) {
    Eventually.until(
        what,
        () -> {
          advance(Duration.ofMillis(50));
          return isSo.getAsBoolean();
        });
  }
}
