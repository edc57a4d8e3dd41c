// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is due when, for everything in one runtime: polls, renewals, local deadlines. One wake-up of
 * the {@link TimeSource} serves all of it, so 100,000 leases cost no thread and no timer each.
 *
 * <p><b>Structure.</b> A heap whose entries know their place in it: adding, moving and taking out
 * are O(log n), and a lease that was released leaves nothing behind. (Timers that merely notice
 * later that they are not needed any more pile up by the million under load.) Each place has four
 * children, and the times stand in an array of their own: with very many entries to look at one
 * costs more than to compare it, and the times of four children are found together.
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
  private static final int CHILDREN = 4;

  /** Something that has a next step. */
  abstract static class Entry {
    private int place = -1;

    /** Takes the next step if it is time for it. Never blocks. */
    abstract void due(Moment now);
  }

  private final TimeSource time;
  private final Runnable afterEach;
  private final List<Entry> heap = new ArrayList<>();
  private long[] dueNanos = new long[64];
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
      if (entry.place < 0) {
        heap.add(entry);
        makeRoom();
        settle(entry, monotonicNanos, heap.size() - 1);
      } else {
        settle(entry, monotonicNanos, entry.place);
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
    afterEach.run();
    long wakeUp;
    synchronized (this) {
      wakeUp = heap.isEmpty() ? UNARMED : toArm(dueNanos[0]);
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
      all = List.copyOf(heap);
    }
    for (Entry entry : all) {
      step(entry, now);
    }
  }

  private static void step(Entry entry, Moment now) {
    try {
      entry.due(now);
    } catch (RuntimeException defect) {
      log.atError().setCause(defect).log("a step of {} failed; the others go on", entry);
    }
  }

  private synchronized @Nullable Entry next(Moment now) {
    if (heap.isEmpty() || dueNanos[0] - now.monotonicNanos() > 0) {
      return null;
    }
    Entry first = heap.get(0);
    remove(first);
    return first;
  }

  private void remove(Entry entry) {
    if (entry.place < 0) {
      return;
    }
    int end = heap.size() - 1;
    Entry last = heap.remove(end);
    if (last != entry) {
      settle(last, dueNanos[end], entry.place);
    }
    entry.place = -1;
  }

  private void makeRoom() {
    if (heap.size() > dueNanos.length) {
      dueNanos = Arrays.copyOf(dueNanos, dueNanos.length + dueNanos.length / 8);
    }
  }

  /** Puts the entry where it belongs, beginning at a place that is free or its own. */
  private void settle(Entry entry, long nanos, int from) {
    int place = from;
    while (place > 0 && nanos - dueNanos[(place - 1) / CHILDREN] < 0) {
      place = shift((place - 1) / CHILDREN, place);
    }
    for (int child = firstDue(place); child > 0; child = firstDue(place)) {
      if (dueNanos[child] - nanos >= 0) {
        break;
      }
      place = shift(child, place);
    }
    put(entry, nanos, place);
  }

  /** Moves what is at one place to a free one; returns the place that this frees. */
  private int shift(int from, int to) {
    put(heap.get(from), dueNanos[from], to);
    return from;
  }

  private void put(Entry entry, long nanos, int place) {
    heap.set(place, entry);
    dueNanos[place] = nanos;
    entry.place = place;
  }

  /** Which of the children is due first; negative if there are none. */
  private int firstDue(int place) {
    int first = CHILDREN * place + 1;
    if (first >= heap.size()) {
      return -1;
    }
    int end = Math.min(first + CHILDREN, heap.size());
    int earliest = first;
    for (int child = first + 1; child < end; child++) {
      earliest = dueNanos[child] - dueNanos[earliest] < 0 ? child : earliest;
    }
    return earliest;
  }
}
