// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes when a test says so, and at no other moment: a lease of thirty seconds runs out
 * in microseconds, and always at the same point of the test.
 *
 * <pre>{@code
 * ManualTime time = new ManualTime();
 * Holdfast holdfast =
 *     Holdfast.builder("memory:").time(time).callbacks(Runnable::run).build();
 * Lease lease = holdfast.lock("table:12").withoutRenewal().tryAcquire().orElseThrow();
 * time.advance(Duration.ofSeconds(30));
 * assertFalse(lease.isHeld());
 * }</pre>
 *
 * <p>Tasks run on the thread that advances the time, in the order of their times, each at its own
 * time; so when {@link #advance} returns, all that was due has happened, and so has what those
 * tasks scheduled in their turn. A task that throws ends the advance at its time, and the exception
 * goes to the caller. A thread that waits for a lock, or for a store that is silent, cannot advance
 * the time that would end its wait: advance it from another thread, or use {@code lock.async()}.
 *
 * <p>Thread-safe; advances of several threads follow each other.
 */
public final class ManualTime implements TimeSource {
  private static final long FIRST_WALL_NANOS =
      TimeUnit.SECONDS.toNanos(Instant.parse("2025-01-01T00:00:00Z").getEpochSecond());

  private record Task(long due, long number, Runnable action) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final ReentrantLock advancing = new ReentrantLock();
  private final Object state = new Object();
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long lastNumber;
  private long monotonicNanos;
  private long wallAheadNanos = FIRST_WALL_NANOS;

  /** Time that stands still, at the beginning of the year 2025. */
  public ManualTime() {}

  @Override
  public Moment now() {
    synchronized (state) {
      return new Moment(monotonicNanos, monotonicNanos + wallAheadNanos);
    }
  }

  /** Queues the task. It runs when time has been advanced so far; never at once. */
  @Override
  public void after(Duration delay, Runnable task) {
    synchronized (state) {
      long nanos = Math.max(0, saturatedNanos(delay));
      long due = monotonicNanos + Math.min(nanos, Long.MAX_VALUE - monotonicNanos);
      tasks.add(new Task(due, ++lastNumber, task));
    }
  }

  /**
   * Lets time pass, and runs what becomes due. Zero runs what is due already.
   *
   * @throws IllegalArgumentException if the duration is negative: monotonic time does not go back
   * @throws IllegalStateException if a task calls this, since its own time is not over yet
   */
  public void advance(Duration duration) {
    requireNotNegative(duration);
    if (advancing.isHeldByCurrentThread()) {
      throw new IllegalStateException("a task cannot advance the time that it runs in");
    }
    advancing.lock();
    try {
      long end;
      synchronized (state) {
        end = Math.addExact(monotonicNanos, duration.toNanos());
      }
      for (Task task = nextUntil(end); task != null; task = nextUntil(end)) {
        task.action.run();
      }
    } finally {
      advancing.unlock();
    }
  }

  /** Takes the next task and goes to its time, or to the end if there is none until then. */
  private @Nullable Task nextUntil(long end) {
    synchronized (state) {
      Task next = tasks.peek();
      if (next == null || next.due > end) {
        monotonicNanos = end;
        return null;
      }
      tasks.remove();
      // A task that was due before now runs now: time does not go back for it.
      monotonicNanos = Math.max(monotonicNanos, next.due);
      return next;
    }
  }

  /** Sets the wall clock forward, or back if the duration is negative. No time passes. */
  public void jumpWall(Duration duration) {
    synchronized (state) {
      wallAheadNanos = Math.addExact(wallAheadNanos, duration.toNanos());
    }
  }

  /**
   * Suspends the machine: the wall clock goes on, while the monotonic clock stands still and no
   * task runs, as on Linux.
   *
   * @throws IllegalArgumentException if the duration is negative
   */
  public void suspend(Duration duration) {
    requireNotNegative(duration);
    jumpWall(duration);
  }

  /** How many tasks are still to run: for tests that nothing is left behind. */
  public int pending() {
    synchronized (state) {
      return tasks.size();
    }
  }

  private static void requireNotNegative(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + duration);
    }
  }

  private static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }
}
