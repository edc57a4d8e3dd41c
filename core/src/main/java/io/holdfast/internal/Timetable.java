// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is due when, for everything in one runtime: polls, renewals, local deadlines. One wake-up of
 * the {@link TimeSource} serves all of it, so 100,000 leases cost no thread and no timer each.
 *
 * <p><b>Structure.</b> A {@link DueHeap}: a lease that was released leaves nothing behind. (Timers
 * that merely notice later that they are not needed any more pile up by the million under load.)
 *
 * <p><b>The two clocks.</b> Entries are ordered by the monotonic clock. When the wall clock runs
 * ahead of it (the machine was suspended, or the clock was set), everything is looked at anew,
 * because a lease may be over by the wall clock. For that the table wakes once a second while it
 * has entries. So {@link Entry#due} may be called early, and must look at the time itself.
 */
final class Timetable {
  private static final Logger log = LoggerFactory.getLogger(Timetable.class);
  private static final long LONGEST_SLEEP_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long NOTABLE_JUMP_NANOS = Duration.ofMillis(1).toNanos();
  private static final long UNARMED = Long.MAX_VALUE;
  private static final int OUT = -1;

  /** Something that has a next step. */
  abstract static class Entry {
    private int number = OUT;

    /** Takes the next step if it is time for it. Never blocks. */
    abstract void due(Moment now);
  }

  private final TimeSource time;
  private final Runnable afterEach;
  private final DueHeap heap = new DueHeap();
  private @Nullable Entry[] entries = new Entry[64]; // By their numbers in the heap.
  private long armedFor = UNARMED;
  private long wallAhead;

  /**
   * @param afterEach runs after all that was due together: to send what they have collected
   */
  Timetable(TimeSource time, Runnable afterEach) {
    this.time = time;
    this.afterEach = afterEach;
    this.wallAhead = wallAhead(time.now());
  }

  /** Puts the entry into the table, or moves it. */
  void schedule(Entry entry, long monotonicNanos) {
    long wakeUp;
    synchronized (this) {
      if (entry.number == OUT) {
        add(entry, monotonicNanos);
      } else {
        heap.move(entry.number, monotonicNanos);
      }
      wakeUp = toArm(monotonicNanos);
    }
    arm(wakeUp);
  }

  /** Takes the entry out; harmless if it is not in. */
  void cancel(Entry entry) {
    synchronized (this) {
      remove(entry);
    }
  }

  synchronized int size() {
    return heap.size();
  }

  private void wake(long armedNanos) {
    synchronized (this) {
      if (armedFor != armedNanos) {
        return; // Superseded by an earlier wake-up, which has taken over.
      }
      armedFor = UNARMED;
    }
    Moment now = time.now();
    if (wallJumped(now)) {
      lookAtAll(now);
    }
    for (Entry entry = next(now); entry != null; entry = next(now)) {
      step(entry, now);
    }
    Answers.run(afterEach);
    long wakeUp;
    synchronized (this) {
      wakeUp = heap.size() == 0 ? UNARMED : toArm(heap.firstNanos());
    }
    arm(wakeUp);
  }

  /** Returns the time to arm the wake-up for, or UNARMED if the present one is early enough. */
  private long toArm(long wantedNanos) {
    if (armedFor != UNARMED && armedFor - wantedNanos <= 0) {
      return UNARMED;
    }
    long latest = time.now().monotonicNanos() + LONGEST_SLEEP_NANOS;
    long wakeUp = wantedNanos - latest > 0 ? latest : wantedNanos;
    if (armedFor != UNARMED && armedFor - wakeUp <= 0) {
      return UNARMED;
    }
    armedFor = wakeUp;
    return wakeUp;
  }

  private void arm(long wakeUpNanos) {
    if (wakeUpNanos != UNARMED) {
      long delay = Math.max(0, wakeUpNanos - time.now().monotonicNanos());
      time.after(Duration.ofNanos(delay), () -> wake(wakeUpNanos));
    }
  }

  private synchronized boolean wallJumped(Moment now) {
    long ahead = wallAhead(now);
    boolean jumped = ahead - wallAhead > NOTABLE_JUMP_NANOS;
    wallAhead = ahead;
    return jumped;
  }

  private static long wallAhead(Moment now) {
    return now.wallNanos() - now.monotonicNanos();
  }

  private void lookAtAll(Moment now) {
    List<Entry> all;
    synchronized (this) {
      all = Stream.of(entries).filter(Objects::nonNull).toList();
    }
    for (Entry entry : all) {
      step(entry, now);
    }
  }

  private static void step(Entry entry, Moment now) {
    try {
      entry.due(now);
    } catch (Throwable defect) {
      log.atError().setCause(defect).log("a step of {} failed; the others go on", entry);
    }
  }

  private synchronized @Nullable Entry next(Moment now) {
    if (heap.size() == 0 || heap.firstNanos() - now.monotonicNanos() > 0) {
      return null;
    }
    Entry first = Objects.requireNonNull(entries[heap.first()]);
    remove(first);
    return first;
  }

  private void add(Entry entry, long monotonicNanos) {
    int number = heap.add(monotonicNanos);
    if (number == entries.length) {
      entries = Arrays.copyOf(entries, number + number / 8);
    }
    entries[number] = entry;
    entry.number = number;
  }

  private void remove(Entry entry) {
    if (entry.number != OUT) {
      heap.remove(entry.number);
      entries[entry.number] = null;
      entry.number = OUT;
    }
  }
}
