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
 * <p>It is worth it only where answers come that soon. Where the store is far away, the time is
 * spent in vain. Where the processors are busy, it is worse: a thread that gives way gets its
 * processor back when the time slice of another is over, milliseconds later. So there is an
 * account: an answer that came soon is a gain, time spent in vain is a loss, and while the losses
 * are greater, threads sleep, and each of these waits pays a little of the loss.
 */
final class Vigil {
  /** With more, the processors have no time to sleep. */
  static final int FEW = 4;

  /** About twice what an answer takes on one machine. */
  static final long LONGEST_NANOS = 300_000;

  /** What an answer that came soon gains, by a low estimate. */
  static final long GAIN_NANOS = 50_000;

  /** What a wait asleep pays: on average, staying awake in vain costs each wait no more. */
  static final long PAYMENT_NANOS = 1_000;

  /** Bounds the account, so that it follows the times. */
  static final long LARGEST_BALANCE_NANOS = 4_000_000;

  /** The threads that wait, of all kinds of waits. */
  private record Waiters(int few, AtomicInteger count, AtomicBoolean oneIsAwake) {
    Waiters(int few) {
      this(few, new AtomicInteger(), new AtomicBoolean());
    }
  }

  private final Waiters waiters;
  private final LongSupplier nanos;
  private final Runnable giveWay;

  /** Used by the one that is awake. */
  private long balanceNanos;

  /**
   * @param nanos a clock
   * @param giveWay lets others have the processor
   */
  Vigil(LongSupplier nanos, Runnable giveWay) {
    this(new Waiters(FEW), nanos, giveWay);
  }

  private Vigil(Waiters waiters, LongSupplier nanos, Runnable giveWay) {
    this.waiters = waiters;
    this.nanos = nanos;
    this.giveWay = giveWay;
  }

  /** One of this process, whose processors all threads share. */
  static Vigil ofProcess() {
    return new Vigil(SystemTime::nanos, Thread::yield);
  }

  /** Another one for the same threads, for waits of another kind: of all, one stays awake. */
  Vigil withItsOwnAccount() {
    return new Vigil(waiters, nanos, giveWay);
  }

  /** One for which all threads sleep. */
  static Vigil asleep() {
    return new Vigil(new Waiters(0), SystemTime::nanos, Thread::yield);
  }

  /** As {@link CompletableFuture#get()}. */
  <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException {
    try {
      boolean areFew = waiters.count.incrementAndGet() <= waiters.few;
      if (areFew && !answer.isDone() && waiters.oneIsAwake.compareAndSet(false, true)) {
        try {
          keep(answer);
        } finally {
          waiters.oneIsAwake.set(false);
        }
      }
      return answer.get();
    } finally {
      waiters.count.decrementAndGet();
    }
  }

  private void keep(CompletableFuture<?> answer) {
    if (balanceNanos < 0) {
      balanceNanos += PAYMENT_NANOS;
      return;
    }
    long start = nanos.getAsLong();
    long awake = 0;
    while (awake < LONGEST_NANOS && !answer.isDone()) {
      giveWay.run();
      awake = nanos.getAsLong() - start;
    }
    long balance = balanceNanos + (awake < LONGEST_NANOS ? GAIN_NANOS : -awake);
    balanceNanos = Math.max(-LARGEST_BALANCE_NANOS, Math.min(LARGEST_BALANCE_NANOS, balance));
  }
}
