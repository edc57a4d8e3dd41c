// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What we hold in the store, from its grant to its release or loss: its local deadline, its
 * renewal, and the lease that uses it now. Usually that is one lease; with local passes the hold
 * outlives it and serves the next one, under a token of its own.
 *
 * <p><b>Deadline.</b> The lease time from {@code since}, less the drift: what two clocks may differ
 * by over a lease time.
 *
 * <p><b>Order.</b> Release, pass and loss exclude each other under this object's monitor: whoever
 * comes first decides how the lease ends. The local queue's lock may be taken inside it, never the
 * other way round.
 */
final class LiveHold extends Timetable.Entry {
  private static final long LEAST_DRIFT_NANOS = Duration.ofMillis(2).toNanos();

  private final LockRuntime runtime;
  private final @Nullable Passes passes;
  private volatile Moment since;
  private volatile RenewingLease lease;
  private volatile boolean ended;
  private boolean renewing;
  private boolean troubled;
  private long renewNanos;
  private @Nullable Moment shortened;
  private volatile @Nullable Departure departure;

  LiveHold(
      LockRuntime runtime, Hold hold, Granted grant, @Nullable LocalQueue queue, Request request) {
    Moment granted = runtime.now();
    this.runtime = runtime;
    this.passes =
        queue == null
            ? null
            : new Passes(
                hold.holder(), queue, granted, runtime.settings().passTime(), grant.passes());
    this.since = grant.since();
    this.lease = new RenewingLease(this, request, hold.holder(), since, granted, grant.token());
  }

  /** How much of a lease time is left, with the drift taken off. */
  static long remainingNanos(long leaseNanos, Moment since, Moment now) {
    return longestNanos(leaseNanos) - now.nanosSince(since);
  }

  /** A lease time with the drift taken off: what a lease has left at the moment of its renewal. */
  static long longestNanos(long leaseNanos) {
    return leaseNanos - Math.max(LEAST_DRIFT_NANOS, leaseNanos / 100);
  }

  LockRuntime runtime() {
    return runtime;
  }

  /** As the store knows it. All leases of it are of one lock, one mode and one lease time. */
  Hold hold() {
    RenewingLease any = lease;
    return new Hold(any.name(), holder(), any.mode(), any.leaseTime());
  }

  private Holder holder() {
    return passes == null ? lease.holder() : passes.first();
  }

  RenewingLease lease() {
    return lease;
  }

  /** From now on signals find it in the place of its attempt, and it is looked after. */
  void start(Attempt attempt) {
    runtime.router().add(holder(), this);
    scheduleNext(since);
    if (runtime.isClosed()) {
      lost(LossCause.CLOSED); // Closing has looked for holds before this one was to be found.
    }
    LossCause lostBefore = attempt.lossSinceGrant();
    if (lostBefore != null) {
      lost(lostBefore);
      // A request that was under way then found this attempt, and may have been granted anew.
      runtime.soon(() -> Departure.begin(runtime, hold()));
    }
  }

  /** Whether it was released or lost. */
  boolean isOver() {
    return ended;
  }

  long remainingNanos(Moment now) {
    return remainingNanos(leaseNanos(), since, now);
  }

  @Override
  void due(Moment now) {
    if (expire(now)) {
      return;
    }
    synchronized (this) {
      if (ended) {
        return;
      }
      if (!renewing && lease.renewsAt(now) && renewNanos - now.monotonicNanos() <= 0) {
        renewing = true;
        runtime.lanes().add(this);
      }
      scheduleDue(now);
    }
  }

  /** Declares the loss if the time is up. */
  boolean expire(Moment now) {
    if (remainingNanos(now) > 0) {
      return false;
    }
    boolean silent;
    synchronized (this) {
      silent = renewing || troubled;
    }
    lost(silent ? LossCause.UNREACHABLE : LossCause.EXPIRED);
    return true;
  }

  /** The answer to a renewal that was sent then. */
  void renewed(Renewal answer, Moment sent) {
    switch (answer) {
      case RENEWED -> extend(sent);
      case UNKNOWN -> renewSoon();
      case TAKEN -> lost(LossCause.TAKEN);
      case GONE -> lost(LossCause.GONE);
      case FORCED -> lost(LossCause.FORCED);
    }
  }

  private void extend(Moment sent) {
    RenewingLease extended;
    synchronized (this) {
      if (ended) {
        return;
      }
      Moment doubted = shortened;
      if (doubted != null && sent.monotonicNanos() - doubted.monotonicNanos() <= 0) {
        renewSoon(); // It may have been carried out before the promise was cut short.
        return;
      }
      if (sent.nanosSince(since) >= 0) {
        since = sent;
      }
      renewing = false;
      troubled = false;
      extended = lease;
      scheduleNext(since);
    }
    runtime.events().renewed(extended);
  }

  /**
   * The store cuts its promises short in this lane: what is left counts, and is renewed at once.
   */
  void shortened(Object lane, Duration by) {
    if (!lane.equals(runtime.backend().lane(lease.name()))) {
      return;
    }
    synchronized (this) {
      if (!ended) {
        Moment now = runtime.now();
        shortened = now;
        since = since.plusNanos(-by.toNanos());
        renewNanos = now.monotonicNanos();
        scheduleDue(now);
      }
    }
  }

  private synchronized void renewSoon() {
    if (!ended) {
      renewing = false;
      troubled = true;
      Moment now = runtime.now();
      long pause = Math.min(leaseNanos() / 12, runtime.pacing().backOffNanos(3));
      renewNanos = now.monotonicNanos() + pause;
      scheduleDue(now);
    }
  }

  /**
   * Ends the lease by its owner's will: passes the hold on to the next local waiter, or ends it.
   *
   * @return what became of the hold
   */
  Ending release(RenewingLease released) {
    Moment now = runtime.now();
    if (expire(now)) {
      return Ending.OVER;
    }
    Request next;
    synchronized (this) {
      if (ended || lease != released) {
        return Ending.OVER;
      }
      released.markReleased();
      next = next(now);
      if (next == null) {
        ended = true;
        departure = Departure.prepare(runtime, hold());
      } else {
        pass(next, now);
      }
    }
    if (next == null) {
      forget();
      return Ending.RELEASE;
    }
    next.served(lease, true);
    return Ending.PASSED;
  }

  private void pass(Request next, Moment now) {
    boolean renewedBefore = lease.renewsAt(now);
    lease = new RenewingLease(this, next, runtime.nextHolder(), now, now, lease.nextToken());
    if (lease.renewsAt(now) != renewedBefore) {
      scheduleDue(now);
    }
  }

  /** Sends the release for which {@link #release} ended the hold. */
  CompletableFuture<Boolean> depart() {
    Departure prepared = departure;
    return prepared == null ? Departure.release(runtime, hold()) : prepared.begin();
  }

  /** The next local waiter, if the bounds allow a pass and the store was heard of lately. */
  private @Nullable Request next(Moment now) {
    boolean heardLately = remainingNanos(now) > leaseNanos() / 2;
    return passes == null || !heardLately ? null : passes.next(now);
  }

  /** The lease ended in another way than by its release. */
  void lost(LossCause cause) {
    lose(null, cause, cause == LossCause.EXPIRED || cause == LossCause.UNREACHABLE);
  }

  /** A resource knows a newer token than this lease's, of which the store may know nothing. */
  void stale(RenewingLease reported) {
    lose(reported, LossCause.TAKEN, true);
  }

  /**
   * @param only the lease that is lost unless the hold has been passed on; null for whichever it is
   * @param storeMayKeepIt whether there may be something to release
   */
  private void lose(@Nullable RenewingLease only, LossCause cause, boolean storeMayKeepIt) {
    RenewingLease victim;
    synchronized (this) {
      if (ended || (only != null && only != lease)) {
        return;
      }
      ended = true;
      victim = lease;
      victim.markLost(cause);
    }
    runtime.timetable().cancel(this);
    runtime.router().remove(holder(), this);
    victim.tellLoss(cause);
    runtime.soon(() -> tidyUp(storeMayKeepIt));
  }

  /** On the timetable, because a loss may be a signal, and signals do not call back. */
  private void tidyUp(boolean storeMayKeepIt) {
    if (passes != null) {
      passes.queue().ended(this);
    }
    if (storeMayKeepIt) {
      Departure.begin(runtime, hold());
    }
  }

  private void forget() {
    runtime.timetable().cancel(this);
    runtime.router().remove(holder(), this);
    if (passes != null) {
      passes.queue().ended(this);
    }
  }

  /**
   * At a third of the lease time. Rounded down to a sixtieth of it, so that leases fall due
   * together and share a batch.
   */
  private synchronized void scheduleNext(Moment from) {
    long step = Math.max(1, leaseNanos() / 60);
    renewNanos = Math.floorDiv(from.monotonicNanos() + leaseNanos() / 3, step) * step;
    if (!ended) {
      scheduleDue(runtime.now());
    }
  }

  private void scheduleDue(Moment now) {
    long deadline = now.monotonicNanos() + remainingNanos(now);
    boolean renewsFirst = !renewing && lease.renewsAt(now) && renewNanos - deadline < 0;
    runtime.timetable().schedule(this, renewsFirst ? renewNanos : deadline);
  }

  private long leaseNanos() {
    return lease.leaseTime().toNanos();
  }
}
