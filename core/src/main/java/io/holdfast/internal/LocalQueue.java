// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.Moment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this process for one exclusive lock and lease time. However many they are, one
 * attempt stands for them in the store's queue; a hold that is granted to it serves the first, and
 * is passed on to the next ones within its bounds.
 *
 * <p>While a hold is being passed around, the next attempt stands in the store already, so that the
 * store's order stays that of arrival and other processes get their turn. It outlasts its last
 * waiter while the hold lives: the next one to come will want it.
 *
 * <p>The waiters' deadlines are watched by one entry of the timetable, for the earliest of them.
 * Most waiters are served long before; an entry for each would be put in and taken out for each
 * pass, under a lock that all threads want.
 */
final class LocalQueue extends Timetable.Entry implements Attempt.Caller {
  private final LocalQueues queues;
  private final LockRuntime runtime;
  private final LocalQueues.Key key;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Request> waiters = new ArrayDeque<>();
  private @Nullable Attempt standing;
  private @Nullable LiveHold hold;
  private boolean watches;
  private long watchedNanos;
  private boolean retired;

  LocalQueue(LocalQueues queues, LockRuntime runtime, LocalQueues.Key key) {
    this.queues = queues;
    this.runtime = runtime;
    this.key = key;
  }

  /** Takes the waiter in; false if this queue is retired, and another one must be asked. */
  boolean join(Request request) {
    Attempt begun;
    lock.lock();
    try {
      if (retired) {
        return false;
      }
      request.joins(this, hold == null && waiters.isEmpty());
      waiters.add(request);
      watch(request.deadlineNanos());
      begun = standing != null && standing.extend(request.deadlineNanos()) ? null : stand();
    } finally {
      lock.unlock();
    }
    if (begun != null) {
      begun.start();
    }
    return true;
  }

  /** Has the table look at the waiters then, unless it does so earlier. */
  private void watch(long deadlineNanos) {
    if (!watches || deadlineNanos - watchedNanos < 0) {
      watches = true;
      watchedNanos = deadlineNanos;
      runtime.timetable().schedule(this, deadlineNanos);
    }
  }

  /** Time may be up for some; the one who was watched may also have been served long ago. */
  @Override
  void due(Moment now) {
    List<Request> late = new ArrayList<>();
    lock.lock();
    try {
      watches = false;
      for (Request waiter : waiters) {
        if (waiter.deadlineNanos() - now.monotonicNanos() <= 0) {
          late.add(waiter);
        } else {
          watch(waiter.deadlineNanos());
        }
      }
    } finally {
      lock.unlock();
    }
    late.forEach(this::timeUp);
  }

  /** The next waiter, for a pass. Called under the hold's monitor. */
  @Nullable Request next() {
    lock.lock();
    try {
      return waiters.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a waiter out; false if it has been served. */
  boolean withdraw(Request request) {
    Attempt idle;
    lock.lock();
    try {
      if (!waiters.remove(request)) {
        return false;
      }
      idle = idleAttempt();
    } finally {
      lock.unlock();
    }
    request.leavesWith(idle);
    leave(idle);
    return true;
  }

  /** A waiter's time is up; if it is the attempt's too, the attempt knows the better answer. */
  private void timeUp(Request request) {
    Attempt idle;
    RuntimeException failure;
    lock.lock();
    try {
      long deadline = request.deadlineNanos();
      long now = runtime.now().monotonicNanos();
      boolean last = standing != null && standing.deadlineNanos() - deadline <= 0;
      boolean silent = standing != null && standing.isUnansweredSince(deadline);
      boolean late = now - deadline >= Patience.LATE_ANSWER_NANOS;
      if ((last || (silent && !late)) && waiters.contains(request)) {
        // It is about to answer, unless somebody comes who makes it go on without this waiter.
        watch(now + Patience.LATE_ANSWER_NANOS);
        return;
      }
      if (!waiters.remove(request)) {
        return;
      }
      failure =
          silent ? Trouble.noAnswer(key.name()) : standing == null ? null : standing.failure();
      idle = idleAttempt();
    } finally {
      lock.unlock();
    }
    leave(idle);
    if (failure == null) {
      request.missed();
    } else {
      request.failed(failure);
    }
  }

  /** The hold is over: released or lost. */
  void ended(LiveHold over) {
    Attempt idle;
    lock.lock();
    try {
      if (hold == over) {
        hold = null;
      }
      idle = idleAttempt();
    } finally {
      lock.unlock();
    }
    leave(idle);
  }

  @Override
  public void granted(Attempt attempt, Granted grant) {
    Request first;
    LiveHold begun = null;
    Attempt next = null;
    lock.lock();
    try {
      standing = standing == attempt ? null : standing;
      first = waiters.poll();
      if (first != null) {
        begun = new LiveHold(runtime, attempt.hold(), grant, this, first);
        hold = begun;
        next = waiters.isEmpty() || standing != null ? null : stand();
      }
      retireIfUnused();
    } finally {
      lock.unlock();
    }
    if (first == null || begun == null) {
      runtime.router().remove(attempt.hold().holder(), attempt);
      runtime.soon(() -> Departure.begin(runtime, attempt.hold()));
      return;
    }
    begun.start(attempt);
    first.served(begun.lease(), attempt.wasContended());
    if (next != null) {
      // Not at once: the grant may be a signal, and signals do not call back.
      runtime.soon(next::start);
    }
  }

  @Override
  public void missed(Attempt attempt) {
    over(attempt).forEach(Request::missed);
  }

  @Override
  public void failed(Attempt attempt, RuntimeException failure) {
    over(attempt).forEach(request -> request.failed(failure));
  }

  /** Takes out those that the attempt stood for, and begins another for those who came late. */
  private List<Request> over(Attempt attempt) {
    List<Request> answered = new ArrayList<>();
    Attempt next;
    lock.lock();
    try {
      standing = standing == attempt ? null : standing;
      for (Request request : List.copyOf(waiters)) {
        if (request.deadlineNanos() - attempt.deadlineNanos() <= 0) {
          waiters.remove(request);
          answered.add(request);
        }
      }
      next = standing == null && !waiters.isEmpty() ? stand() : null;
      retireIfUnused();
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.start();
    }
    return answered;
  }

  private Attempt stand() {
    long deadline = waiters.element().deadlineNanos();
    for (Request waiter : waiters) {
      deadline = waiter.deadlineNanos() - deadline > 0 ? waiter.deadlineNanos() : deadline;
    }
    Terms terms = waiters.element().terms();
    standing = new Attempt(runtime, terms, runtime.settings().passes(), true, deadline, this);
    return standing;
  }

  /** The attempt, if nobody needs it any more. */
  private @Nullable Attempt idleAttempt() {
    Attempt idle = null;
    if (waiters.isEmpty() && hold == null) {
      idle = standing;
      standing = null;
    }
    retireIfUnused();
    return idle;
  }

  private static void leave(@Nullable Attempt idle) {
    if (idle != null) {
      idle.leave();
    }
  }

  private void retireIfUnused() {
    if (waiters.isEmpty() && hold == null && standing == null) {
      retired = true;
      queues.remove(key, this);
      runtime.timetable().cancel(this);
    }
  }
}
