// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.LossCause;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import org.jspecify.annotations.Nullable;

/**
 * A holder-to-be at the store: asking, waiting, and in the end granted or left.
 *
 * <p><b>Steps.</b> It asks; is told that the lock is held, and waits; asks again when a signal or
 * its pace says so, always as the same holder, so that a repeat finds its place or its grant. The
 * answer and the signal {@code granted} may both bring the grant: the first one counts.
 *
 * <p><b>Failures.</b> While there is time, a failed request is repeated. If the time ends with a
 * failure, the caller is told of it: {@code UNKNOWN} if any request since the last answer may have
 * had an effect.
 *
 * <p><b>Leaving.</b> Whoever may stand or hold in the store is released in the background. If a
 * request was unanswered then, it may yet be carried out after that release: so once it is answered
 * there is another release.
 */
final class Attempt extends Timetable.Entry {
  /** Whom the attempt is made for. Called once in all, on any thread, and must not block. */
  interface Caller {
    void granted(Attempt attempt, Granted grant);

    void missed(Attempt attempt);

    void failed(Attempt attempt, RuntimeException failure);
  }

  private enum Phase {
    /** Not begun: signals would not find it yet, so it must not ask. */
    NEW,
    ASKING,
    WAITING,
    GRANTED,
    LEFT
  }

  private final LockRuntime runtime;
  private final Hold hold;
  private final @Nullable String purpose;
  private final int passes;
  private final Caller caller;
  private final Patience patience;
  private final Trouble trouble = new Trouble();

  private Phase phase = Phase.NEW;
  private int tries;
  private boolean askAgain;
  private boolean doubted;
  private @Nullable LossCause lossSinceGrant;
  private boolean contended;
  private boolean standsInStore;
  private @Nullable BackendException doubt;

  /** An attempt that waits for others until its deadline, or that asks once if it does not wait. */
  Attempt(
      LockRuntime runtime,
      Terms terms,
      int passes,
      boolean waits,
      long deadlineNanos,
      Caller caller) {
    this.runtime = runtime;
    this.hold = new Hold(terms.name(), runtime.nextHolder(), terms.mode(), terms.leaseTime());
    this.purpose = terms.purpose();
    this.passes = passes;
    this.caller = caller;
    this.patience = new Patience(waits, deadlineNanos, runtime.pacing().shortest());
  }

  Hold hold() {
    return hold;
  }

  /** Whether somebody else was found to hold the lock. */
  synchronized boolean wasContended() {
    return contended;
  }

  synchronized long deadlineNanos() {
    return patience.deadlineNanos();
  }

  /** What went wrong, if the store has not answered since. */
  synchronized @Nullable RuntimeException failure() {
    return trouble.verdict();
  }

  synchronized boolean isUnansweredSince(long nanos) {
    return trouble.isUnansweredSince(nanos);
  }

  /** Why it is not known what the store did, if it was not when the attempt was left. */
  synchronized @Nullable BackendException doubt() {
    return doubt;
  }

  /** Begins, unless it was left before: a queue begins its next attempt a little later. */
  void start() {
    runtime.router().add(hold.holder(), this);
    if (!runtime.isGranting()) {
      close(); // Closing has looked for attempts before this one was to be found.
    }
    if (mayAsk()) {
      ask();
    } else {
      forget();
    }
  }

  /** From now on it asks when it is time to; false if it is over. */
  private synchronized boolean mayAsk() {
    if (phase == Phase.NEW) {
      phase = Phase.WAITING;
    }
    return isUnderWay();
  }

  /** Waits until a later deadline; false if the attempt is over. */
  synchronized boolean extend(long laterNanos) {
    long stepNanos = patience.nextStepNanos();
    boolean later = patience.extend(laterNanos);
    // A step that has become later is looked at in time, and put off then.
    if (later && phase == Phase.WAITING && patience.nextStepNanos() - stepNanos < 0) {
      runtime.timetable().schedule(this, patience.nextStepNanos());
    }
    return isUnderWay();
  }

  /** Gives up. False if it is over already: granted, perhaps. */
  boolean leave() {
    boolean departs;
    synchronized (this) {
      if (!isUnderWay()) {
        return false;
      }
      phase = Phase.LEFT;
      departs = standsInStore || trouble.isUnanswered();
      doubt = trouble.doubt(hold.name());
    }
    forget();
    if (departs) {
      Departure.begin(runtime, hold);
    }
    return true;
  }

  /** The runtime is closing. False if it is over already: granted, perhaps. */
  boolean close() {
    boolean left = leave();
    if (left) {
      caller.failed(this, LockRuntime.closed(hold.name()));
    }
    return left;
  }

  /**
   * The store says that it is worth asking again. Asks on the timetable: signals do not call back.
   */
  synchronized void retry() {
    if (trouble.isUnanswered()) {
      askAgain = true;
    } else if (phase == Phase.WAITING) {
      Moment now = runtime.now();
      patience.askIn(0, now);
      runtime.timetable().schedule(this, now.monotonicNanos());
    }
  }

  /**
   * The store says that what it granted is lost. If the hold does not stand yet, it asks for this;
   * and if we do not even know of the grant, its answer is not to be believed when it comes.
   */
  void lost(LossCause cause) {
    synchronized (this) {
      if (phase == Phase.GRANTED) {
        lossSinceGrant = cause;
        return;
      }
      doubted = trouble.isUnanswered();
    }
    retry();
  }

  /** Why the grant was lost before its hold stood in this attempt's place, if it was. */
  synchronized @Nullable LossCause lossSinceGrant() {
    return lossSinceGrant;
  }

  /** The store handed the lock over: no further round trip, unless half of the lease has gone. */
  void granted(Granted grant) {
    boolean enough = remainingNanos(grant) >= hold.leaseTime().toNanos() / 2;
    synchronized (this) {
      if (!isUnderWay()) {
        return;
      }
      if (enough) {
        phase = Phase.GRANTED;
      }
    }
    if (enough) {
      deliver(grant);
    } else {
      retry(); // A repeat extends the hold.
    }
  }

  private void ask() {
    Moment sent = runtime.now();
    AcquireRequest request;
    synchronized (this) {
      if (phase != Phase.WAITING) {
        return;
      }
      phase = Phase.ASKING;
      trouble.sent(sent.monotonicNanos());
      askAgain = false;
      doubted = false;
      tries++;
      request = new AcquireRequest(hold, patience.promise(sent), passes, sent, purpose);
    }
    runtime.acquireSent();
    runtime.answer(
        () -> runtime.backend().acquire(request),
        this::expectAnswer,
        (answer, problem) -> {
          answered(answer, problem);
          runtime.acquireAnswered();
        });
  }

  private synchronized void expectAnswer() {
    if (isUnderWay()) {
      runtime.timetable().schedule(this, patience.answerDueNanos());
    }
  }

  private void answered(@Nullable Acquisition answer, @Nullable BackendException problem) {
    Phase now;
    Granted grant = answer instanceof Granted granted ? granted : null;
    synchronized (this) {
      trouble.ended();
      if (phase == Phase.GRANTED) {
        // By the signal, which was faster; and if that hold is over already, this may be a new one.
        now = runtime.router().knows(hold.holder()) ? Phase.GRANTED : Phase.LEFT;
        grant = null;
      } else {
        if (phase == Phase.ASKING) {
          phase = problem != null ? noteFailure(problem) : note(answer);
        }
        now = phase;
      }
    }
    switch (now) {
      case GRANTED -> deliverAnswer(grant);
      case WAITING -> due(runtime.now());
      // It may have been carried out after the release that was sent when leaving.
      case LEFT -> Departure.begin(runtime, hold);
      case ASKING, NEW -> end();
    }
  }

  private void deliverAnswer(@Nullable Granted grant) {
    if (grant != null) {
      deliver(grant);
      runtime.router().grantedOnAsking(hold);
    }
  }

  /** Returns the next phase; ASKING means that there is nothing more to ask for. */
  private Phase note(@Nullable Acquisition answer) {
    if (answer instanceof Granted grant) {
      standsInStore = true;
      if (doubted) {
        return waitFor(0);
      }
      if (remainingNanos(grant) > 0) {
        return Phase.GRANTED;
      }
      // Nobody else has it: to say that it is held would be wrong, if this was the last request.
      trouble.add(Trouble.lateAnswer(hold));
      return waitFor(backOff());
    }
    if (answer instanceof Acquisition.Refused refused) {
      trouble.add(
          new IllegalStateException(
              "'" + hold.name() + "' is in use as " + refused.rule() + ", not as " + hold.mode()));
      return Phase.ASKING;
    }
    contended = true;
    standsInStore = patience.waits();
    trouble.clear();
    return waitFor(askAgain ? 0 : pace(answer));
  }

  private long pace(@Nullable Acquisition answer) {
    return answer instanceof Acquisition.Held held && !held.recheck().isZero()
        ? runtime.pacing().proposedNanos(held.recheck())
        : backOff();
  }

  private Phase noteFailure(BackendException problem) {
    trouble.add(problem);
    standsInStore |= trouble.isUnknown();
    return problem.isTransient() ? waitFor(backOff()) : Phase.ASKING;
  }

  private Phase waitFor(long nanos) {
    patience.askIn(nanos, runtime.now());
    return patience.waits() ? Phase.WAITING : Phase.ASKING;
  }

  private long backOff() {
    return runtime.pacing().backOffNanos(tries);
  }

  @Override
  void due(Moment now) {
    boolean ends;
    synchronized (this) {
      if (!isUnderWay()) {
        return;
      }
      boolean waiting = phase == Phase.WAITING;
      long nextNanos = waiting ? patience.nextStepNanos() : patience.answerDueNanos();
      if (nextNanos - now.monotonicNanos() > 0) {
        runtime.router().waiting(this);
        runtime.timetable().schedule(this, nextNanos);
        return;
      }
      ends = !waiting || patience.isOver(now);
      if (!waiting) {
        trouble.add(Trouble.noAnswer(hold.name()));
      }
    }
    if (ends) {
      end();
    } else {
      ask();
    }
  }

  private long remainingNanos(Granted grant) {
    return LiveHold.remainingNanos(hold.leaseTime().toNanos(), grant.since(), runtime.now());
  }

  /** The hold takes this attempt's place, so that at no time nobody is there for a signal. */
  private void deliver(Granted grant) {
    runtime.timetable().cancel(this);
    runtime.router().waitsNoMore(this);
    caller.granted(this, grant);
  }

  /** Tells the caller that it was not granted, and why. */
  private void end() {
    if (!leave()) {
      return;
    }
    RuntimeException why = failure();
    if (why == null) {
      caller.missed(this);
    } else {
      caller.failed(this, why);
    }
  }

  private void forget() {
    runtime.timetable().cancel(this);
    runtime.router().waitsNoMore(this);
    runtime.router().remove(hold.holder(), this);
  }

  private boolean isUnderWay() {
    return phase == Phase.NEW || phase == Phase.ASKING || phase == Phase.WAITING;
  }
}
