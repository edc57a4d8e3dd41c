// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A release, for whoever may stand or hold in the store and does not want to: repeated in the
 * background until it is answered, or until the lease time is over and the store has dropped it.
 *
 * <p>There is one for each holder, with one request under way. Two at once would race, and the one
 * whose answer the caller waits for could be told that there was nothing to release.
 */
final class Departure extends Timetable.Entry {
  private final LockRuntime runtime;
  private final Hold hold;
  private long giveUpNanos;
  private long dueNanos;
  private int tries;
  private boolean begun;
  private boolean underWay;
  private boolean over;
  private final CompletableFuture<Boolean> firstTry = new CompletableFuture<>();
  private CompletableFuture<Boolean> lastTry = firstTry;

  /** There from the beginning: closing may find a departure before its first try, and waits. */
  private @Nullable CompletableFuture<Boolean> nextTry = lastTry;

  private Departure(LockRuntime runtime, Hold hold) {
    this.runtime = runtime;
    this.hold = hold;
  }

  static void begin(LockRuntime runtime, Hold hold) {
    var unused = release(runtime, hold);
  }

  /** Begins, and returns the answer to a request that is sent from now on. */
  static CompletableFuture<Boolean> release(LockRuntime runtime, Hold hold) {
    while (true) {
      Departure first = new Departure(runtime, hold);
      Departure known = runtime.departures().putIfAbsent(hold.holder(), first);
      CompletableFuture<Boolean> answer = (known == null ? first : known).tryNow(false);
      if (answer != null) {
        return answer;
      }
      // One that is just over is being taken out of the map.
      Thread.onSpinWait();
    }
  }

  /**
   * Takes the place of the holder's departure, for {@link #begin}; null if there is one. From now
   * on whatever else finds that the holder is to be released asks for the same first try.
   */
  static @Nullable Departure prepare(LockRuntime runtime, Hold hold) {
    Departure first = new Departure(runtime, hold);
    return runtime.departures().putIfAbsent(hold.holder(), first) == null ? first : null;
  }

  /** Begins, unless a release that was asked for meanwhile has; returns the first answer. */
  CompletableFuture<Boolean> begin() {
    var unused = tryNow(true);
    return firstTry;
  }

  /** Those that are under way, the oldest first. */
  static List<Departure> inOrder(Collection<Departure> departures) {
    List<Departure> ordered = new ArrayList<>(departures);
    ordered.sort(Comparator.comparingLong(departure -> departure.hold.holder().number()));
    return ordered;
  }

  /** What closing does about a try that failed. */
  CompletableFuture<Boolean> again() {
    return release(runtime, hold);
  }

  /**
   * Tries now, or as soon as the present try is answered; null if it is over.
   *
   * @param onlyFirst whether nothing is to be done if there was a try before
   */
  private @Nullable CompletableFuture<Boolean> tryNow(boolean onlyFirst) {
    CompletableFuture<Boolean> answer;
    long now = nowNanos();
    synchronized (this) {
      if (over || (onlyFirst && begun)) {
        return null;
      }
      begun = true;
      giveUpNanos = now + hold.leaseTime().toNanos() + Pacing.LONGEST_POLL.toNanos();
      answer = nextTry == null ? new CompletableFuture<>() : nextTry;
      nextTry = answer;
      if (underWay) {
        return answer;
      }
      underWay = true;
    }
    runtime.timetable().cancel(this);
    send();
    return answer;
  }

  private void send() {
    CompletableFuture<Boolean> answer;
    synchronized (this) {
      tries++;
      answer = nextTry == null ? new CompletableFuture<>() : nextTry;
      nextTry = null;
      lastTry = answer;
    }
    Answers.handle(
        runtime.bounded(() -> runtime.backend().release(hold), "release", hold.name()),
        (wasOurs, problem) -> answered(answer, wasOurs, problem));
  }

  private void answered(
      CompletableFuture<Boolean> answer, @Nullable Boolean wasOurs, @Nullable Throwable problem) {
    boolean again;
    synchronized (this) {
      again = nextTry != null;
      underWay = again;
      if (!again) {
        endOrWait(problem);
      }
    }
    if (problem != null) {
      answer.completeExceptionally(problem);
    } else {
      answer.complete(wasOurs);
    }
    if (again) {
      send();
    }
  }

  private void endOrWait(@Nullable Throwable problem) {
    long now = nowNanos();
    boolean hopeless =
        giveUpNanos - now <= 0
            || (problem instanceof BackendException known && !known.isTransient());
    if (problem == null || hopeless || runtime.isClosed()) {
      end();
    } else {
      dueNanos = now + runtime.pacing().backOffNanos(tries);
      runtime.timetable().schedule(this, dueNanos);
    }
  }

  private void end() {
    over = true;
    runtime.departures().remove(hold.holder(), this);
  }

  @Override
  void due(Moment now) {
    synchronized (this) {
      if (over || underWay || dueNanos - now.monotonicNanos() > 0) {
        return;
      }
      if (runtime.isClosed()) {
        end();
        return;
      }
      underWay = true;
    }
    send();
  }

  /** The try that is under way or asked for, or the last one that failed. */
  synchronized CompletableFuture<Boolean> lastTry() {
    return nextTry == null ? lastTry : nextTry;
  }

  private long nowNanos() {
    return runtime.now().monotonicNanos();
  }
}
