// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker has in hand: the jobs that it has claimed and not begun, those that run, and those
 * that have ended and whose end the database has not been told.
 */
final class Hand {
  private static final int MOST_UNTOLD = 1000;

  private final int concurrency;
  private final int prefetch;
  private final WorkerTime time;
  private final Deque<Run> waiting = new ArrayDeque<>();
  private final Map<Long, Run> running = new LinkedHashMap<>();
  private final Set<Long> known = new HashSet<>();
  private boolean closed;

  /** How many of the waiting, from the first, may begin. */
  private int startable;

  /** Prefetched ones may begin up to this token. */
  private long mark;

  /** How many the database is told of before there is a thread for them: more if they are short. */
  private int ahead;

  Hand(int concurrency, int prefetch, WorkerTime time) {
    this.concurrency = concurrency;
    this.prefetch = prefetch;
    this.time = time;
  }

  /** How many jobs to claim; none until it is worth a statement. */
  private int room() {
    if (waiting.size() > prefetch / 2) {
      return 0;
    }
    int capacity = concurrency + prefetch;
    // If the database takes results more slowly than it gives jobs, they must not pile up.
    int untold = known.size() - waiting.size() - running.size();
    return Math.min(capacity - waiting.size() - running.size(), MOST_UNTOLD + capacity - untold);
  }

  /** Waits for room; 0 if there was none in this time, or no more is wanted. */
  synchronized int awaitRoom(long nanos) throws InterruptedException {
    long end = time.nanos() + nanos;
    while (!closed && room() <= 0) {
      long left = end - time.nanos();
      if (left <= 0) {
        return 0;
      }
      time.await(this, left);
    }
    return closed ? 0 : room();
  }

  /** Takes them in; false if no more is wanted. */
  synchronized boolean add(List<Run> runs) {
    if (closed) {
      return false;
    }
    waiting.addAll(runs);
    runs.forEach(run -> known.add(run.token().value()));
    count();
    notifyAll();
    return true;
  }

  /** The next one, which counts as running; null if no more is to come. */
  synchronized @Nullable Run take() throws InterruptedException {
    while (startable == 0) {
      if (closed) {
        return null;
      }
      wait();
    }
    Run run = waiting.remove();
    startable--;
    running.put(run.token().value(), run);
    if (lacksStartable()) {
      notifyAll();
    }
    return run;
  }

  /** How many threads have nothing to do, and nothing that waits for them. */
  synchronized int idle() {
    return Math.max(0, concurrency - running.size() - waiting.size());
  }

  private void count() {
    startable = 0;
    for (Run run : waiting) {
      if (run.isPrefetched() && run.token().value() > mark) {
        return;
      }
      startable++;
    }
  }

  private boolean lacksStartable() {
    return startable < waiting.size()
        && (startable == 0 ? ahead > 0 || running.size() < concurrency : startable <= ahead / 2);
  }

  /**
   * The last of those that should begin next, of which the database is to be told; null at the end.
   */
  synchronized @Nullable Run awaitBeginning() throws InterruptedException {
    Run last = beginning();
    // Asked for again at once, it was too little; otherwise it was enough.
    ahead = last == null ? ahead / 2 : Math.min(prefetch, Math.max(concurrency, 2 * ahead));
    while (last == null && !closed) {
      wait();
      last = beginning();
    }
    return last;
  }

  private @Nullable Run beginning() {
    if (!lacksStartable()) {
      return null;
    }
    int free = concurrency - running.size();
    Run last = null;
    int place = 0;
    for (Run run : waiting) {
      place++;
      if (place > Math.max(free, ahead) || (run.countsExactly() && place > free)) {
        break;
      }
      last = run;
    }
    return last != null && last.token().value() > mark ? last : null;
  }

  /** The database knows that prefetched ones begin, up to this token. */
  synchronized void mayBegin(long token) {
    mark = token;
    count();
    notifyAll();
  }

  /** No more is to come. */
  synchronized boolean isOver() {
    return closed && waiting.isEmpty();
  }

  synchronized void ended(Run run) {
    running.remove(run.token().value());
    if (closed ? running.isEmpty() : room() > 0 || lacksStartable()) {
      notifyAll();
    }
  }

  /** The database has been told, or never will be. */
  synchronized void forget(List<Run> runs) {
    runs.forEach(run -> known.remove(run.token().value()));
    if (!closed && room() > 0) {
      notifyAll();
    }
  }

  /** The tokens of all claims that this worker knows to be its own. */
  synchronized List<Long> known() {
    return new ArrayList<>(known);
  }

  synchronized List<Run> running() {
    return new ArrayList<>(running.values());
  }

  /** Drops what this life of the worker has claimed and not begun. */
  synchronized void drop(Registration over) {
    waiting.removeIf(run -> run.registration() == over && known.remove(run.token().value()));
    count();
    notifyAll();
  }

  /** No more is begun; gives what was not. */
  synchronized List<Run> close() {
    closed = true;
    List<Run> rest = new ArrayList<>(waiting);
    waiting.clear();
    startable = 0;
    notifyAll();
    return rest;
  }

  /** Waits until nothing runs; false if something still does after this time. */
  synchronized boolean awaitIdle(long nanos) throws InterruptedException {
    long end = time.nanos() + nanos;
    while (!running.isEmpty()) {
      long left = end - time.nanos();
      if (left <= 0) {
        return false;
      }
      time.await(this, left);
    }
    return true;
  }
}
