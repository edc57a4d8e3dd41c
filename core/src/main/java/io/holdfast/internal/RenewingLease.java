// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockException;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A lease that a {@link LiveHold} keeps alive. */
final class RenewingLease implements Lease {
  private enum State {
    HELD,
    RELEASED,
    LOST
  }

  private final LockRuntime runtime;
  private final LiveHold hold;
  private final Terms terms;
  private final @Nullable String correlationId;
  private final Holder holder;
  private final Moment granted;
  private final FencingToken token;
  private volatile State state = State.HELD;
  private volatile @Nullable LossCause cause;
  private @Nullable CompletableFuture<LossCause> loss;
  private @Nullable CompletableFuture<Boolean> releasing;

  RenewingLease(
      LockRuntime runtime,
      LiveHold hold,
      Request request,
      Holder holder,
      Moment granted,
      long token) {
    this.runtime = runtime;
    this.hold = hold;
    this.terms = request.terms();
    this.correlationId = request.correlationId();
    this.holder = holder;
    this.granted = granted;
    this.token = new FencingToken(token);
  }

  @Override
  public String name() {
    return terms.name();
  }

  @Override
  public FencingToken token() {
    return token;
  }

  @Override
  public Holder holder() {
    return holder;
  }

  @Override
  public Mode mode() {
    return terms.mode();
  }

  Duration leaseTime() {
    return terms.leaseTime();
  }

  @Nullable String correlationId() {
    return correlationId;
  }

  Duration heldFor() {
    return runtime.now().since(granted);
  }

  /** Whether it is to be renewed by itself. */
  boolean renewsAt(Moment now) {
    Duration maxHold = terms.maxHold();
    return terms.renews() && (maxHold == null || now.nanosSince(granted) < Times.nanos(maxHold));
  }

  @Override
  public Duration remaining() {
    long nanos = remainingNanos();
    return nanos > 0 ? Duration.ofNanos(nanos) : Duration.ZERO;
  }

  @Override
  public boolean isHeld() {
    return remainingNanos() > 0;
  }

  private long remainingNanos() {
    if (state != State.HELD) {
      return 0;
    }
    Moment now = runtime.now();
    long nanos = hold.remainingNanos(now);
    if (nanos <= 0) {
      hold.expire(now);
    }
    return nanos;
  }

  @Override
  public void ensureHeld(Duration atLeast) {
    Times.notNegative(atLeast, "the time to be held");
    if (atLeast.compareTo(terms.leaseTime()) >= 0) {
      throw new IllegalArgumentException(
          "a lease of " + terms.leaseTime() + " never has " + atLeast + " left");
    }
    if (isHeld() && remaining().compareTo(atLeast) >= 0) {
      return;
    }
    renew();
    if (remaining().compareTo(atLeast) < 0) {
      throw lostException();
    }
  }

  @Override
  public void renew() {
    if (!isHeld()) {
      throw lostException();
    }
    Moment sent = runtime.now();
    List<Hold> holds = List.of(hold.hold());
    Renewal answer =
        runtime
            .await(runtime.bounded(() -> runtime.backend().renew(holds), "renew", name()))
            .get(0);
    hold.renewed(answer, sent);
    if (!isHeld()) {
      throw lostException();
    }
    if (answer == Renewal.UNKNOWN) {
      throw BackendException.unknown(
          "the store did not say whether lock '" + name() + "' was renewed", null);
    }
  }

  LeaseLostException lostException() {
    LossCause known = cause;
    return new LeaseLostException(name(), token, known == null ? LossCause.EXPIRED : known);
  }

  @Override
  public CompletionStage<LossCause> loss() {
    synchronized (this) {
      if (loss == null) {
        loss = new CompletableFuture<>();
        if (state == State.LOST && cause != null) {
          loss.complete(cause);
        }
      }
      return loss.minimalCompletionStage();
    }
  }

  @Override
  public void reportStale(FencingToken newest) {
    if (newest.isNewerThan(token) && state == State.HELD) {
      hold.lost(LossCause.TAKEN);
    }
  }

  @Override
  public boolean release() {
    return runtime.await(releaseAsync());
  }

  CompletableFuture<Boolean> releaseAsync() {
    LiveHold.Ending ending = hold.release(this);
    if (ending == LiveHold.Ending.PASSED) {
      runtime.events().released(this);
    } else if (ending == LiveHold.Ending.RELEASE) {
      return releaseInStore(false);
    } else if (state == State.RELEASED) {
      return repeatRelease();
    }
    return CompletableFuture.completedFuture(state == State.RELEASED);
  }

  /** For a lease that nobody has any use for; a failure goes on as a {@link Departure}. */
  void giveBack() {
    Answers.handle(releaseAsync(), (released, unconfirmed) -> {});
  }

  private CompletableFuture<Boolean> repeatRelease() {
    synchronized (this) {
      if (releasing == null) {
        return CompletableFuture.completedFuture(true);
      }
      if (!releasing.isCompletedExceptionally()) {
        return releasing;
      }
    }
    return releaseInStore(true);
  }

  /**
   * @param repeat whether an earlier reply was lost: then the store may have released it before,
   *     and its "no" means that it has
   */
  private CompletableFuture<Boolean> releaseInStore(boolean repeat) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    synchronized (this) {
      releasing = answer;
    }
    Answers.handle(
        Departure.release(runtime, hold.hold()),
        (wasOurs, problem) -> {
          if (!repeat) {
            firstAnswer(wasOurs, problem);
          }
          if (problem != null) {
            answer.completeExceptionally(problem);
          } else {
            answer.complete(repeat || Boolean.TRUE.equals(wasOurs));
          }
        });
    return answer;
  }

  /** How the lease ended is told once, however often its release is repeated. */
  private void firstAnswer(@Nullable Boolean wasOurs, @Nullable Throwable problem) {
    if (problem != null || Boolean.TRUE.equals(wasOurs)) {
      runtime.events().released(this);
    } else {
      markLost(LossCause.GONE);
      tellLoss(LossCause.GONE);
    }
  }

  @Override
  public void close() {
    if (!releaseQuietly() && cause == LossCause.EXPIRED) {
      runtime.events().ranOutBeforeClose(this);
    }
  }

  /** Releases; false if the lease had been lost. What the store does not confirm is logged. */
  boolean releaseQuietly() {
    try {
      return release();
    } catch (LockException unconfirmed) {
      runtime.events().releaseFailed(this, unconfirmed);
      return true;
    }
  }

  /** Under the hold's monitor: the first of release, pass and loss decides. */
  void markReleased() {
    state = State.RELEASED;
  }

  /** As {@link #markReleased()}; from now on {@link #isHeld()} is false. */
  synchronized void markLost(LossCause cause) {
    this.cause = cause;
    state = State.LOST;
  }

  /** After {@link #markLost}: whoever hears of it finds that the lease is not held. */
  void tellLoss(LossCause cause) {
    CompletableFuture<LossCause> told;
    synchronized (this) {
      told = loss;
    }
    if (told != null) {
      runtime.settings().callbacks().execute(() -> told.complete(cause));
    }
    runtime.events().lost(this, cause);
  }
}
