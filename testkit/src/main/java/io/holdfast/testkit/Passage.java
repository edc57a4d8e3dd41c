// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.fail;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The passage of time in a test, by hand or for real, and the waiting for what must come in the
 * end. The only upper bound on any time is {@link #patience}, and it is generous.
 *
 * <p>While threads of the test are at work, manual time passes at first not at all, then as slowly
 * as real time, and then faster and faster: otherwise it would run away from a thread that the
 * machine has no core for.
 */
final class Passage {
  private static final long STANDING_NANOS = Duration.ofMillis(2).toNanos();
  private static final long SLOW_NANOS = Duration.ofMillis(100).toNanos();
  private static final long FASTER_NANOS = Duration.ofMillis(500).toNanos();
  private static final Duration STEP = Duration.ofMillis(5);
  private static final Duration REAL_PAUSE = Duration.ofMillis(5);
  private static final Duration SHORT_PAUSE = Duration.ofNanos(200_000);

  private final TimeSource time;
  private final Duration patience;
  private final AtomicInteger atWork = new AtomicInteger();

  Passage(TimeSource time, Duration patience) {
    this.time = time;
    this.patience = patience;
  }

  Moment now() {
    return time.now();
  }

  /** Lets so much time pass. */
  void pass(Duration duration) {
    if (time instanceof ManualTime manual) {
      manual.advance(duration);
    } else {
      sleep(duration);
    }
  }

  /** Lets time pass until this is so; fails if it does not come to be. */
  void until(String what, BooleanSupplier isSo) {
    Moment begin = now();
    long realBegin = System.nanoTime();
    if (time instanceof ManualTime manual) {
      manual.advance(Duration.ZERO); // What is due may be all that is missing.
    }
    while (!isSo.getAsBoolean()) {
      long realNanos = System.nanoTime() - realBegin;
      boolean threadsHadTime = atWork.get() == 0 || realNanos > patience.toNanos() / 6;
      if (threadsHadTime && now().since(begin).compareTo(patience) > 0) {
        fail("waited in vain for %s until %s", patience, what);
      }
      step(realNanos);
    }
  }

  private void step(long realNanos) {
    if (!(time instanceof ManualTime manual)) {
      sleep(REAL_PAUSE);
    } else if (atWork.get() == 0) {
      manual.advance(STEP);
    } else {
      sleep(SHORT_PAUSE);
      manual.advance(SHORT_PAUSE.multipliedBy(speed(realNanos)));
    }
  }

  private static int speed(long realNanos) {
    if (realNanos < STANDING_NANOS) {
      return 0;
    }
    return realNanos < SLOW_NANOS ? 1 : realNanos < FASTER_NANOS ? 5 : 25;
  }

  private static void sleep(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        fail("the test was interrupted");
      }
    }
  }

  /** The answer of a store. */
  <T> T answer(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    until("the store answers", future::isDone);
    return outcome(future);
  }

  /** What a call that may block returns, while time passes for it. */
  <T> T call(Callable<T> action) {
    CompletableFuture<T> outcome = start(action).outcome();
    until("the call returns", outcome::isDone);
    return outcome(outcome);
  }

  /** A call that may block, on a thread of its own. */
  <T> Work<T> start(Callable<T> action) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    Runnable work =
        () -> {
          try {
            outcome.complete(action.call());
          } catch (Throwable failure) {
            outcome.completeExceptionally(failure);
          } finally {
            atWork.decrementAndGet();
          }
        };
    Thread thread = new Thread(work, "contract");
    thread.setDaemon(true);
    atWork.incrementAndGet();
    thread.start();
    return new Work<>(thread, outcome);
  }

  /** A call that is under way on a thread of its own. */
  record Work<T>(Thread thread, CompletableFuture<T> outcome) {}

  /** What a future that is done has come to: its result, or what it failed with. */
  static <T> T outcome(CompletableFuture<T> done) {
    try {
      return done.get(0, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw unchecked(unwrapped(failed));
    } catch (Exception unexpected) {
      throw unchecked(unexpected);
    }
  }

  /** What a future that is done failed with. */
  static Throwable failure(CompletableFuture<?> done) {
    try {
      Object result = done.get(0, TimeUnit.SECONDS);
      throw new AssertionError("this should have failed, but came to " + result);
    } catch (ExecutionException failed) {
      return unwrapped(failed);
    } catch (Exception cancelled) {
      return cancelled;
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean wraps = failure instanceof ExecutionException || failure instanceof CompletionException;
    return wraps && cause != null ? unwrapped(cause) : failure;
  }

  /** Whatever it is, without wrapping it: a test tells failures apart by their types. */
  private static RuntimeException unchecked(Throwable failure) {
    return Passage.<RuntimeException>thrown(failure);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException thrown(Throwable failure) throws E {
    throw (E) failure;
  }
}
