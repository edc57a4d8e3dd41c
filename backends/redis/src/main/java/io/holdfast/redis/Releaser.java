// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Release: of a hold, or of a place in the queue. A request of the same holder that was under way
 * when its connection broke may yet be carried out: then the release is repeated when that is over.
 *
 * <p><b>Late releases.</b> A release may lie in a socket while other connections go on. So it is
 * sent only for a holder that does not ask again, or it names the token of the one grant that it
 * ends: it never ends a later hold of the same holder.
 */
final class Releaser {
  /** Releases nothing, and hands over. */
  private static final String NOBODY = "-";

  private final BackendContext context;
  private final Keys keys;
  private final Topology topology;
  private final Claims claims;
  private final Server.Ear messages;

  Releaser(
      BackendContext context, Keys keys, Topology topology, Claims claims, Server.Ear messages) {
    this.context = context;
    this.keys = keys;
    this.topology = topology;
    this.claims = claims;
    this.messages = messages;
  }

  CompletableFuture<Boolean> release(Hold hold) {
    Claim claim = claims.find(hold.holder());
    return Answers.typed(
        "release of '" + hold.name() + "' failed",
        claim == null ? send(hold, "") : release(hold, claim));
  }

  /** Of a holder that may stand in the queue, or of which a request may yet be carried out. */
  private CompletableFuture<Boolean> release(Hold hold, Claim claim) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Claim.Leaving leaving = claim.leaves(context.now().monotonicNanos(), answer);
    Duration late = Duration.ofNanos(leaving.lateNanos());
    Answers.handle(
        send(hold, claim.entry()),
        (held, failure) -> {
          if (failure == null && leaving.isLast()) {
            claims.forget(hold.holder());
          } else {
            forgetLater(hold, late);
          }
          if (failure == null) {
            answer.complete(held);
          } else {
            answer.completeExceptionally(failure);
          }
        });
    if (!late.isZero()) {
      context.after(late, () -> Answers.ignore(release(hold)));
    }
    return answer;
  }

  CompletableFuture<Boolean> send(Hold hold, String entry) {
    return send(keys.of(hold.name()), hold.holder().toString(), entry);
  }

  CompletableFuture<Boolean> send(Keys.LockKeys lock, String holder, String entry) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    Answers.handle(
        eval(lock, holder, entry),
        (reply, failure) -> {
          if (reply != null) {
            if (reply.size() > 3) {
              messages.message(reply.get(3).toString()); // First: somebody holds a lock from now.
            }
            answer.complete(Script.number(reply, 0) == 1);
            handOverMore(lock, reply, 2);
          } else if (failure != null && "TRYAGAIN".equals(Failures.codeOf(failure))) {
            sendWhileMigrating(lock, holder, answer);
          } else if (failure != null) {
            answer.completeExceptionally(failure);
            keys.nameOf(lock.lock()).ifPresent(context::retry); // What it told a waiter is lost.
          }
        });
    return answer;
  }

  /**
   * Ends the hold that was granted with this token to a holder that has left: the next client shall
   * not wait for its end. No other hold of the holder ends. The message of the grant may have been
   * late: a release that is under way comes first, because its caller is told whether it held.
   */
  void giveBack(Keys.LockKeys lock, Claim claim, String token) {
    Answers.handle(
        claim.released(),
        (held, failure) -> giveBack(lock, claim.hold().holder().toString(), token));
  }

  private void giveBack(Keys.LockKeys lock, String holder, String token) {
    String[] arguments = {holder, token};
    Answers.handle(
        topology.eval(Script.GIVE_BACK, lock.all(), wire -> arguments),
        (reply, failure) -> {
          if (reply != null) {
            handOverMore(lock, reply, 2);
          }
        });
  }

  /** Whoever never stood in the queue is usually followed by nobody. */
  private CompletableFuture<List<Object>> eval(Keys.LockKeys lock, String holder, String entry) {
    Function<Wire, String[]> arguments = wire -> new String[] {holder, entry};
    if (!entry.isEmpty()) {
      return topology.eval(Script.RELEASE, lock.all(), arguments);
    }
    Call usual = new Call(Script.RELEASE_TOGETHER, lock.toRelease(), holder);
    return topology.evalTogether(usual, Script.RELEASE, lock, arguments);
  }

  /** Ends the hold that has this token, whoever has it. */
  CompletableFuture<Boolean> force(Keys.LockKeys lock, long token, String reason) {
    return force(lock, Long.toString(token), reason, "0");
  }

  /** Looks at some of many holders at a time. */
  private CompletableFuture<Boolean> force(
      Keys.LockKeys lock, String token, String reason, String cursor) {
    String[] arguments = {token, Keys.CHANNEL, reason, cursor};
    return topology
        .eval(Script.FORCE_RELEASE, lock.allAndForced(), wire -> arguments)
        .thenCompose(
            reply -> {
              handOverMore(lock, reply, 3);
              boolean found = Script.number(reply, 0) == 1;
              String next = reply.get(2).toString();
              return found || next.equals("0")
                  ? CompletableFuture.completedFuture(found)
                  : force(lock, token, reason, next);
            });
  }

  /** A script that would take too long leaves the rest of the queue to the next one. */
  void handOverMore(Keys.LockKeys lock, List<Object> reply, int at) {
    if (reply.size() > at && Script.number(reply, at) == 1) {
      Answers.ignore(send(lock, NOBODY, ""));
    }
  }

  /** The slot migrates. */
  private void sendWhileMigrating(
      Keys.LockKeys lock, String holder, CompletableFuture<Boolean> answer) {
    Answers.handle(
        new MigratingRelease(context, topology).send(lock, holder),
        (held, failure) -> {
          if (failure == null) {
            answer.complete(held);
          } else {
            answer.completeExceptionally(failure);
          }
        });
  }

  /** When the store has dropped what may stand there, whether or not a release was answered. */
  private void forgetLater(Hold hold, Duration late) {
    context.after(
        late.plus(hold.leaseTime()).plusMillis(Acquirer.CREDIBLE_MILLIS),
        () -> claims.forget(hold.holder()));
  }
}
