// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static io.holdfast.redis.Script.number;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Acquire, and wait. The queue is in the store; here is what a client has to know to stand in it:
 * which of its holders ask, and what they were told.
 *
 * <p><b>Late requests.</b> A request that nobody waits for any more may still lie in a socket. It
 * carries the server's time after which it is refused, so it takes no effect once its time-out has
 * passed. One whose connection broke before that may: {@link Releaser} knows.
 */
final class Acquirer {
  /** Longer than three of core's slowest polls: two of them may be lost. */
  static final long CREDIBLE_MILLIS = 10_000;

  private static final String TOO_FEW = "too few replicas acknowledged the grant";
  private static final int LATE_TRIES = 3;
  private static final Duration SLOW_POLL = Duration.ofSeconds(3);

  private final BackendContext context;
  private final RedisSettings settings;
  private final Keys keys;
  private final Topology topology;
  private final Releaser releaser;
  private final Claims claims = new Claims();

  Acquirer(
      BackendContext context,
      RedisSettings settings,
      Keys keys,
      Function<Server.Ear, Topology> topology) {
    this.context = context;
    this.settings = settings;
    this.keys = keys;
    Server.Ear messages =
        new Messages(context, claims, !settings.replicas().isNone(), this::giveBack);
    this.topology = topology.apply(messages);
    this.releaser = new Releaser(context, keys, this.topology, claims, messages);
  }

  CompletableFuture<Acquisition> acquire(AcquireRequest request) {
    Keys.LockKeys lock = keys.of(request.hold().name());
    Claim claim = claims.of(new Claim(request, topology.channelOf(lock.lock())));
    claim.asks();
    CompletableFuture<Acquisition> answer = new CompletableFuture<>();
    if (request.patience().isZero()) {
      ask(claim, request, lock, LATE_TRIES, answer);
    } else {
      askOnceListening(claim, request, lock, answer);
    }
    return answer;
  }

  /** Whoever may be put into the queue must hear of its grant. */
  private void askOnceListening(
      Claim claim,
      AcquireRequest request,
      Keys.LockKeys lock,
      CompletableFuture<Acquisition> answer) {
    Answers.handle(
        topology.listening(lock.lock()),
        (listening, failure) -> {
          if (failure == null) {
            ask(claim, request, lock, LATE_TRIES, answer);
          } else {
            failed(claim, request, failure, answer);
          }
        });
  }

  private void ask(
      Claim claim,
      AcquireRequest request,
      Keys.LockKeys lock,
      int tries,
      CompletableFuture<Acquisition> answer) {
    Answers.handle(
        send(claim, request, lock),
        (reply, failure) -> {
          boolean late = reply != null && reply.get(0).equals("LATE");
          if (late && tries > 1) {
            // The reply brought a new estimate of the server's time.
            ask(claim, request, lock, tries - 1, answer);
            return;
          }
          if (late) {
            failed(claim, request, tooLate(), answer);
          } else if (reply != null) {
            answered(claim, request, reply, answer);
          } else if (failure != null) {
            failed(claim, request, failure, answer);
          }
        });
  }

  private static BackendException tooLate() {
    return BackendException.notApplied("requests reach the Redis server later than they may", null);
  }

  private CompletableFuture<List<Object>> send(
      Claim claim, AcquireRequest request, Keys.LockKeys lock) {
    String patience = Long.toString(Math.min(CREDIBLE_MILLIS, Entries.millis(request.patience())));
    Function<Wire, String[]> arguments =
        wire ->
            new String[] {
              claim.entry(),
              Long.toString(wire.refuseAfterMillis()),
              patience,
              Long.toString(claim.ticket())
            };
    if (settings.replicas().isNone()) {
      return claim.isNew() && request.hold().mode() == Mode.EXCLUSIVE
          ? topology.evalTogether(usual(request, lock), Script.ACQUIRE, lock, arguments)
          : topology.eval(Script.ACQUIRE, lock.all(), arguments);
    }
    return topology
        .evalAcknowledged(Script.ACQUIRE, lock.all(), arguments)
        .thenCompose(
            acknowledged -> {
              List<Object> reply = acknowledged.reply();
              return isGranted(reply) && !acknowledged.byReplicas()
                  ? tooFewReplicas(claim, request, acknowledged.acknowledgement())
                  : completedFuture(reply);
            });
  }

  private static Call usual(AcquireRequest request, Keys.LockKeys lock) {
    return new Call(Script.ACQUIRE_TOGETHER, lock.toAcquire(), Entries.parts(request));
  }

  /**
   * The grant does not count. A caller that waits asks again as the same holder, and finds it: that
   * is a write of its own, which may be acknowledged. A release that is sent now could end what the
   * holder is granted by then; so only a caller that does not ask again gives the grant back.
   */
  private CompletableFuture<List<Object>> tooFewReplicas(
      Claim claim, AcquireRequest request, Acknowledgement acknowledgement) {
    Throwable cause = acknowledgement.failure();
    BackendException why =
        cause == null ? BackendException.notApplied(TOO_FEW, null) : Failures.of(TOO_FEW, cause);
    String message = String.valueOf(why.getMessage());
    if (!request.patience().isZero() && why.isTransient()) {
      return failedFuture(BackendException.unknown(message, cause));
    }
    return releaser
        .send(claim.hold(), claim.entry())
        .handle((held, failure) -> held)
        .thenCompose(
            released ->
                failedFuture(
                    released == null
                        ? BackendException.unknown(message + "; and the release failed", cause)
                        : givenBack(why)));
  }

  /** Since the grant was given back, the request has had no effect. */
  private static BackendException givenBack(BackendException why) {
    return why.outcome() == Outcome.NOT_APPLIED
        ? why
        : BackendException.notApplied(String.valueOf(why.getMessage()), why.getCause());
  }

  private void answered(
      Claim claim,
      AcquireRequest request,
      List<Object> reply,
      CompletableFuture<Acquisition> answer) {
    boolean waits = !request.patience().isZero();
    boolean consistent = true;
    Acquisition acquisition;
    if (isGranted(reply)) {
      Granted granted = granted(request, reply);
      consistent = claim.granted(granted.token());
      acquisition = granted;
      releaser.handOverMore(keys.of(request.hold().name()), reply, 4);
    } else if (reply.get(0).equals("REFUSED")) {
      claim.refused();
      acquisition = new Acquisition.Refused(reply.get(2).toString());
    } else if (waits) {
      consistent = claim.queued(number(reply, 3), request.sent(), number(reply, 1));
      acquisition = new Acquisition.Held(recheck(reply));
    } else {
      claim.refused();
      acquisition = new Acquisition.Held(Duration.ZERO);
    }
    claims.tidy(claim); // Before its holder can release: what is done is not asked about.
    if (consistent) {
      answer.complete(acquisition);
    } else {
      answer.completeExceptionally(lostMeanwhile(claim));
    }
  }

  /**
   * A message told of a grant while we asked, and the answer knows of another or of none: what was
   * granted was lost in between. Core asks again as the same holder, and finds what the answer told
   * of, or releases it: a release from here could come later than that request.
   */
  private BackendException lostMeanwhile(Claim claim) {
    Hold hold = claim.hold();
    context.lost(hold.holder(), LossCause.TAKEN);
    return BackendException.unknown(
        "the hold of '" + hold.name() + "' that was handed over was lost at once", null);
  }

  private void giveBack(Keys.LockKeys lock, Claim claim, String token) {
    releaser.giveBack(lock, claim, token);
  }

  /**
   * The head asks when its turn may come; the others are told by a message. If nobody holds the
   * lock, one script was not enough to drop all the dead who stand in front.
   */
  private Duration recheck(List<Object> reply) {
    long remainingMillis = number(reply, 2);
    boolean first = number(reply, 4) <= 0;
    boolean foreign = number(reply, 5) == 1;
    if (!first && remainingMillis != 0) {
      return SLOW_POLL;
    }
    if (foreign) {
      // It tells nobody when it releases.
      long often = 50 + context.random().nextLong(150);
      return Duration.ofMillis(remainingMillis > 0 ? Math.min(often, remainingMillis) : often);
    }
    return Duration.ofMillis(Math.max(1, remainingMillis));
  }

  private void failed(
      Claim claim,
      AcquireRequest request,
      Throwable problem,
      CompletableFuture<Acquisition> answer) {
    String name = request.hold().name();
    BackendException failure = Failures.of("acquire of '" + name + "' failed", problem);
    claim.failed(
        failure.outcome() == Outcome.UNKNOWN,
        !request.patience().isZero(),
        context.now().monotonicNanos() + settings.timeout().toNanos());
    claims.tidy(claim);
    answer.completeExceptionally(failure);
  }

  Releaser releaser() {
    return releaser;
  }

  Topology topology() {
    return topology;
  }

  Claims claims() {
    return claims;
  }

  /** By the reply of a script that was granted all it asked for, or by a longer one. */
  private static boolean isGranted(List<Object> reply) {
    return reply.size() == 1 || reply.get(0).equals("GRANTED");
  }

  private static Granted granted(AcquireRequest request, List<Object> reply) {
    if (reply.size() == 1) {
      return new Granted(number(reply, 0), Entries.passes(request), request.sent());
    }
    long first = number(reply, 2);
    return new Granted(first, (int) (number(reply, 3) - first), request.sent());
  }
}
