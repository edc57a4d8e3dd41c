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
import io.holdfast.internal.Terms.Manner;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A lease that a {@link LiveHold} keeps alive. There may be very many: what it can find elsewhere
 * it does not keep.
 */
final class RenewingLease implements Lease {
  private static final long NANOS_PER_MICRO = 1000;

  private enum State {
    HELD,
    RELEASED,
    LOST
  }

  private final LiveHold hold;
  private final String name;
  private final Manner manner;
  private final @Nullable String correlationId;
  private final Holder holder;
  private final Moment since;
  private final int grantedAfterMicros;
  private final long token;
  private volatile State state = State.HELD;
  private volatile @Nullable LossCause cause;
  private @Nullable Promise<LossCause> loss;
  private @Nullable CompletableFuture<Boolean> releasing;

  /**
   * @param since a moment before the grant, which others know too: then this lease costs no other
   * @param granted when it was granted
   */
  RenewingLease(
      LiveHold hold, Request request, Holder holder, Moment since, Moment granted, long token) {
    this.hold = hold;
    this.name = request.terms().name();
    this.manner = request.terms().manner();
    this.correlationId = request.correlationId();
    this.holder = holder;
    this.since = since;
    this.grantedAfterMicros =
        (int) Math.min(Integer.MAX_VALUE, granted.nanosSince(since) / NANOS_PER_MICRO);
    this.token = token;
  }

  private LockRuntime runtime() {
    return hold.runtime();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public FencingToken token() {
    return new FencingToken(token);
  }

  @Override
  public Holder holder() {
    return holder;
  }

  @Override
  public Mode mode() {
    return manner.mode();
  }

  Duration leaseTime() {
    return manner.leaseTime();
  }

  @Nullable String correlationId() {
    return correlationId;
  }

  Duration heldFor() {
    return Duration.ofNanos(heldNanos(runtime().now()));
  }

  private long heldNanos(Moment now) {
    return Math.max(0, now.nanosSince(since) - grantedAfterMicros * NANOS_PER_MICRO);
  }

  /** Whether it is to be renewed by itself. */
  boolean renewsAt(Moment now) {
    Duration maxHold = manner.maxHold();
    return manner.renews() && (maxHold == null || heldNanos(now) < Times.nanos(maxHold));
  }

  /** The token of the next lease of the same hold. */
  long nextToken() {
    return token + 1;
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
    Moment now = runtime().now();
    long nanos = hold.remainingNanos(now);
    if (nanos <= 0) {
      hold.expire(now);
    }
    return nanos;
  }

  @Override
  public void ensureHeld(Duration atLeast) {
    Times.notNegative(atLeast, "the time to be held");
    Duration longest = Duration.ofNanos(LiveHold.longestNanos(manner.leaseTime().toNanos()));
    if (atLeast.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "a lease of " + manner.leaseTime() + " has at most " + longest + " left, not " + atLeast);
    }
    if (isHeld() && remaining().compareTo(atLeast) >= 0) {
      return;
    }
    renew();
    Duration left = remaining();
    if (left.isZero()) {
      throw lostException();
    }
    if (left.compareTo(atLeast) < 0) {
      throw BackendException.unknown(
          "the renewal of lock '" + name() + "' was slow: " + left + " left, not " + atLeast, null);
    }
  }

  @Override
  public void renew() {
    if (!isHeld()) {
      throw lostException();
    }
    Moment asked = runtime().now();
    List<Hold> holds = List.of(hold.hold());
    CompletableFuture<List<Renewal>> answers =
        runtime().bounded(() -> runtime().backend().renew(holds), "renew", name());
    // A store that goes by this machine's clock has read it in between.
    Moment sent = Times.earlier(asked, runtime().now());
    Renewal answer = runtime().await(answers).get(0);
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
    return new LeaseLostException(name(), token(), known == null ? LossCause.EXPIRED : known);
  }

  @Override
  public CompletionStage<LossCause> loss() {
    synchronized (this) {
      if (loss == null) {
        loss = new Promise<>(runtime().settings());
        if (state == State.LOST && cause != null) {
          loss.future().complete(cause); // It has no dependents yet.
        }
      }
      return loss.future().minimalCompletionStage();
    }
  }

  @Override
  public void reportStale(FencingToken newest) {
    if (newest.value() > token) {
      hold.stale(this);
    }
  }

  @Override
  public boolean release() {
    return runtime().await(runtime().router().whileCallerWaits(this::releaseAsync));
  }

  CompletableFuture<Boolean> releaseAsync() {
    Ending ending = hold.release(this);
    if (ending == Ending.PASSED) {
      runtime().events().released(this);
    } else if (ending == Ending.RELEASE) {
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
        repeat ? Departure.release(runtime(), hold.hold()) : hold.depart(),
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
      runtime().events().released(this);
    } else {
      markLost(LossCause.GONE);
      tellLoss(LossCause.GONE);
    }
  }

  @Override
  public void close() {
    if (!releaseQuietly() && cause == LossCause.EXPIRED) {
      runtime().events().ranOutBeforeClose(this);
    }
  }

  /** Releases; false if the lease had been lost. What the store does not confirm is logged. */
  boolean releaseQuietly() {
    try {
      return release();
    } catch (LockException unconfirmed) {
      runtime().events().releaseFailed(this, unconfirmed);
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
    Promise<LossCause> told;
    synchronized (this) {
      told = loss;
    }
    if (told != null) {
      told.complete(cause);
    }
    runtime().events().lost(this, cause);
  }
}
