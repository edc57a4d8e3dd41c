// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * How threads of this process wait for answers. While only few wait, one of them stays awake for a
 * moment, and gives way to whoever has work to do: an answer from a store nearby takes less time
 * than a processor that has gone to sleep needs to wake up, once for each thread on the answer's
 * way.
 *
 * <p>It is worth it only where answers come that soon. Where they do not, be it that the store is
 * far away or that the processors are busy, the pause until somebody stays awake again doubles each
 * time, up to a thousand waits; where they do, it halves.
 */
final class Vigil {
  /** With more, the processors have no time to sleep. */
  static final int FEW = 4;

  /** About twice what an answer takes on one machine. */
  static final long LONGEST_NANOS = 300_000;

  /** In waits for which nobody stays awake. */
  static final int LONGEST_PAUSE = 1023;

  private final LongSupplier nanos;
  private final Runnable giveWay;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean kept = new AtomicBoolean();
  private int pause;
  private int pauseLeft;

  /**
   * @param nanos a clock
   * @param giveWay lets others have the processor
   */
  Vigil(LongSupplier nanos, Runnable giveWay) {
    this.nanos = nanos;
    this.giveWay = giveWay;
  }

  /** One of this process, whose processors all threads share. */
  static Vigil ofProcess() {
    return new Vigil(SystemTime::nanos, Thread::yield);
  }

  /** As {@link CompletableFuture#get()}. */
  <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException {
    try {
      if (waiting.incrementAndGet() <= FEW && !answer.isDone() && kept.compareAndSet(false, true)) {
        try {
          keep(answer);
        } finally {
          kept.set(false);
        }
      }
      return answer.get();
    } finally {
      waiting.decrementAndGet();
    }
  }

  private void keep(CompletableFuture<?> answer) {
    if (pauseLeft > 0) {
      pauseLeft--;
      return;
    }
    long start = nanos.getAsLong();
    boolean isSoon = true;
    while (isSoon && !answer.isDone()) {
      giveWay.run();
      isSoon = nanos.getAsLong() - start < LONGEST_NANOS;
    }
    pause = isSoon ? pause / 2 : Math.min(LONGEST_PAUSE, 2 * pause + 1);
    pauseLeft = pause;
  }
}
