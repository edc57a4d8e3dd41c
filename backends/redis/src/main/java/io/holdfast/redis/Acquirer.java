// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquire, wait, release. The queue is in the store; here is what a client has to know to stand in
 * it: which of its holders ask, and what they were told.
 *
 * <p><b>Late requests.</b> A request that nobody waits for any more may still lie in a socket. It
 * carries the server's time after which it is refused, so it takes no effect once its time-out has
 * passed. One whose connection broke before that may: then a release is repeated when that time is
 * over.
 */
final class Acquirer implements Server.Ear {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  /** Longer than three of core's slowest polls: two of them may be lost. */
  private static final long CREDIBLE_MILLIS = 10_000;

  private static final String TOO_FEW = "too few replicas acknowledged the grant";
  private static final int LATE_TRIES = 3;
  private static final Duration SLOW_POLL = Duration.ofSeconds(3);

  private final BackendContext context;
  private final RedisSettings settings;
  private final Keys keys;
  private final Topology topology;
  private final Map<Holder, Claim> claims = new ConcurrentHashMap<>();

  Acquirer(
      BackendContext context,
      RedisSettings settings,
      Keys keys,
      Function<Server.Ear, Topology> topology) {
    this.context = context;
    this.settings = settings;
    this.keys = keys;
    this.topology = topology.apply(this);
  }

  Topology topology() {
    return topology;
  }

  CompletableFuture<Acquisition> acquire(AcquireRequest request) {
    Keys.LockKeys lock = keys.of(request.hold().name());
    Claim claim =
        claims.computeIfAbsent(
            request.hold().holder(), unused -> new Claim(request, topology.channelOf(lock.lock())));
    claim.asks();
    boolean waits = !request.patience().isZero();
    CompletableFuture<?> ready = waits ? topology.listening(lock.lock()) : completedFuture(null);
    CompletableFuture<Acquisition> answer = new CompletableFuture<>();
    Answers.handle(
        ready.thenCompose(listening -> ask(claim, request, lock, LATE_TRIES)),
        (reply, failure) -> {
          if (reply != null) {
            answered(claim, request, reply, answer);
          } else if (failure != null) {
            failed(claim, request, failure, answer);
          }
          tidy(claim);
        });
    return answer;
  }

  private CompletableFuture<List<Object>> ask(
      Claim claim, AcquireRequest request, Keys.LockKeys lock, int tries) {
    long patience = Math.min(CREDIBLE_MILLIS, Entries.millis(request.patience()));
    return topology
        .evalAcknowledged(
            Script.ACQUIRE,
            lock.all(),
            wire ->
                new String[] {
                  claim.entry(),
                  Long.toString(wire.refuseAfterMillis()),
                  Long.toString(patience),
                  Long.toString(claim.ticket())
                })
        .thenCompose(
            acknowledged -> {
              List<Object> reply = acknowledged.reply();
              if (reply.get(0).equals("GRANTED") && !acknowledged.byReplicas()) {
                return tooFewReplicas(claim);
              }
              if (!reply.get(0).equals("LATE")) {
                return completedFuture(reply);
              }
              // The reply brought a new estimate of the server's time.
              return tries > 1
                  ? ask(claim, request, lock, tries - 1)
                  : failedFuture(
                      BackendException.notApplied(
                          "requests reach the Redis server later than they may", null));
            });
  }

  /** It does not count, and is given back. */
  private CompletableFuture<List<Object>> tooFewReplicas(Claim claim) {
    return sendRelease(claim.hold(), claim.entry())
        .handle((held, failure) -> held)
        .thenCompose(
            released ->
                failedFuture(
                    released == null
                        ? BackendException.unknown(TOO_FEW + " and the release failed", null)
                        : BackendException.notApplied(TOO_FEW, null)));
  }

  private void answered(
      Claim claim,
      AcquireRequest request,
      List<Object> reply,
      CompletableFuture<Acquisition> answer) {
    boolean waits = !request.patience().isZero();
    boolean consistent = true;
    Acquisition acquisition;
    if (reply.get(0).equals("GRANTED")) {
      long first = number(reply, 2);
      consistent = claim.granted(first);
      acquisition = new Granted(first, (int) (number(reply, 3) - first), request.sent());
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
    if (consistent) {
      answer.complete(acquisition);
    } else {
      answer.completeExceptionally(lostMeanwhile(claim));
    }
  }

  /**
   * A message told of a grant while we asked, and the answer knows of another or of none: what was
   * granted was lost in between.
   */
  private BackendException lostMeanwhile(Claim claim) {
    Hold hold = claim.hold();
    claims.remove(hold.holder(), claim);
    context.lost(hold.holder(), LossCause.TAKEN);
    Answers.ignore(sendRelease(hold, claim.entry()));
    return BackendException.notApplied(
        "the hold of '" + hold.name() + "' that was handed over was lost at once", null);
  }

  /** The head asks when its turn may come; the others are told by a message. */
  private Duration recheck(List<Object> reply) {
    long remainingMillis = number(reply, 2);
    boolean first = number(reply, 4) <= 0;
    boolean foreign = number(reply, 5) == 1;
    if (!first) {
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
    answer.completeExceptionally(failure);
  }

  CompletableFuture<Boolean> release(Hold hold) {
    Claim claim = claims.get(hold.holder());
    String entry = claim == null ? "" : claim.entry();
    long lateNanos = claim == null ? 0 : claim.leaves(context.now().monotonicNanos());
    CompletableFuture<Boolean> answer =
        Answers.typed("release of '" + hold.name() + "' failed", sendRelease(hold, entry));
    Answers.handle(
        answer,
        (held, failure) -> {
          if (failure != null) {
            forgetLater(hold);
          } else if (claim != null) {
            tidy(claim);
          }
        });
    if (lateNanos > 0) {
      context.after(Duration.ofNanos(lateNanos), () -> Answers.ignore(sendRelease(hold, entry)));
    }
    return answer;
  }

  private CompletableFuture<Boolean> sendRelease(Hold hold, String entry) {
    return sendRelease(keys.of(hold.name()), hold.holder().toString(), entry);
  }

  private CompletableFuture<Boolean> sendRelease(Keys.LockKeys lock, String holder, String entry) {
    return topology
        .eval(Script.RELEASE, lock.all(), wire -> new String[] {holder, entry})
        .exceptionallyCompose(
            failure ->
                "TRYAGAIN".equals(Failures.codeOf(failure))
                    // The slot migrates. Whoever waits finds out by asking.
                    ? topology.eval(
                        Script.RELEASE_ONE,
                        new String[] {lock.lock()},
                        wire -> new String[] {holder})
                    : failedFuture(failure))
        .thenApply(reply -> number(reply, 0) == 1);
  }

  /** A release that is never answered leaves nothing behind here either. */
  private void forgetLater(Hold hold) {
    context.after(hold.leaseTime().plusMillis(CREDIBLE_MILLIS), () -> claims.remove(hold.holder()));
  }

  /** The hold is gone without a release. */
  void forget(Holder holder) {
    claims.remove(holder);
  }

  private void tidy(Claim claim) {
    if (claim.isDone()) {
      claims.remove(claim.hold().holder(), claim);
    }
  }

  /** How many holders ask, wait, or were handed what they hold. */
  int size() {
    return claims.size();
  }

  @Override
  public void message(String message) {
    if (message.equals(Wire.HELLO)) {
      return;
    }
    String[] words = message.split(" ", 6);
    Holder holder = words.length < 2 ? null : holder(words[1]);
    if (holder == null || !holder.process().equals(context.origin().process())) {
      LOG.warn("a message on our channel that is not for us was ignored");
    } else if (words[0].equals("granted") && words.length == 6) {
      granted(holder, words);
    } else if (words[0].equals("forced")) {
      claims.remove(holder);
      context.lost(holder, LossCause.FORCED);
    }
  }

  private void granted(Holder holder, String[] words) {
    Claim claim = claims.get(holder);
    if (claim == null) {
      // Nobody waits for it: the next one shall not wait for its end.
      Answers.ignore(sendRelease(new Keys.LockKeys(words[5]), holder.toString(), ""));
      return;
    }
    Granted grant =
        claim.told(Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
    if (grant != null) {
      context.granted(holder, settings.replicas().isNone() ? grant : asHint(claim.hold(), grant));
    }
  }

  /**
   * Replicas need not have heard of a grant that another client's command made. With no time left
   * of it core asks again, and that is a write of our own for which we can wait.
   */
  private static Granted asHint(Hold hold, Granted grant) {
    Moment past = grant.since().plusNanos(-hold.leaseTime().toNanos());
    return new Granted(grant.token(), grant.passes(), past);
  }

  private static @Nullable Holder holder(String text) {
    int dash = text.lastIndexOf('-');
    String number = text.substring(dash + 1);
    return dash <= 0 || !number.matches("\\d{1,18}")
        ? null
        : new Holder(text.substring(0, dash), Long.parseLong(number));
  }

  @Override
  public void listensAgain() {
    Set<String> names = new HashSet<>();
    for (Claim claim : claims.values()) {
      if (claim.waits()) {
        names.add(claim.hold().name());
      }
    }
    names.forEach(context::retry);
  }

  static long number(List<Object> reply, int index) {
    Object part = reply.get(index);
    return part instanceof Long number ? number : Long.parseLong(part.toString());
  }
}
