// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Scripts that count only when replicas have acknowledged them. {@code WAIT} counts the writes of
 * its own connection, and blocks it: so there is a connection of its own for this, and what comes
 * while one {@code WAIT} is under way goes out together, with one {@code WAIT} for all.
 */
final class GroupCommit {
  /**
   * A script that waits for its turn.
   *
   * @param bySource whether the server is sent its source, because it does not know its digest
   */
  private record Pending(
      Function<Wire, Call> call, boolean bySource, CompletableFuture<Acknowledged> answer) {

    CompletableFuture<List<Object>> send(Wire wire) {
      return wire.evalOnce(call.apply(wire), bySource);
    }

    Pending again() {
      return new Pending(call, true, answer);
    }
  }

  private final Link<Wire> link;
  private final Replicas replicas;
  private final long waitMillis;
  private List<Pending> pending = new ArrayList<>();
  private boolean underWay;

  GroupCommit(Link<Wire> link, Replicas replicas, Duration timeout) {
    this.link = link;
    this.replicas = replicas;
    // Less than the time-out of the command itself, so that the server gives up first.
    this.waitMillis = Math.max(1, timeout.toMillis() / 2);
  }

  CompletableFuture<Acknowledged> eval(
      Script script, String[] keys, Function<Wire, String[]> arguments) {
    CompletableFuture<Acknowledged> answer = new CompletableFuture<>();
    synchronized (this) {
      pending.add(
          new Pending(wire -> new Call(script, keys, arguments.apply(wire)), false, answer));
    }
    sendNext();
    return answer;
  }

  private void sendNext() {
    List<Pending> batch;
    synchronized (this) {
      if (underWay || pending.isEmpty()) {
        return;
      }
      underWay = true;
      batch = pending;
      pending = new ArrayList<>();
    }
    Answers.handle(
        link.line().thenCompose(wire -> commit(wire, batch)),
        (done, failure) -> {
          if (failure != null) {
            batch.forEach(each -> each.answer().completeExceptionally(failure));
          }
          synchronized (this) {
            underWay = false;
          }
          sendNext();
        });
  }

  private CompletableFuture<?> commit(Wire wire, List<Pending> batch) {
    List<CompletableFuture<List<Object>>> replies = new ArrayList<>(batch.size());
    for (Pending each : batch) {
      replies.add(each.send(wire));
    }
    CompletableFuture<Acknowledgement> acknowledged = awaitReplicas(wire);
    CompletableFuture<?> all =
        CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
            .handle((done, failure) -> batch);
    return acknowledged.thenCombine(
        all,
        (byReplicas, done) -> {
          for (int i = 0; i < batch.size(); i++) {
            Pending each = batch.get(i);
            Answers.handle(
                replies.get(i),
                (reply, failure) -> {
                  if (reply != null) {
                    each.answer().complete(new Acknowledged(reply, byReplicas));
                  } else if (failure != null) {
                    failed(each, failure);
                  }
                });
          }
          return byReplicas;
        });
  }

  /**
   * Whether enough replicas acknowledge, in time, what this connection has written before. Never
   * fails: what was written stands, whatever became of the question.
   */
  CompletableFuture<Acknowledgement> awaitReplicas(Wire wire) {
    return required(wire)
        .thenCompose(count -> await(wire, count))
        .exceptionally(Acknowledgement::failed);
  }

  /** How many it takes; one round trip more if that is as many as are connected. */
  private CompletableFuture<Integer> required(Wire wire) {
    return replicas.all()
        ? wire.send(commands -> commands.info("replication"))
            .thenApply(text -> replicas.required(ServerInfo.parse(text).replicas()))
        : CompletableFuture.completedFuture(replicas.least());
  }

  /** {@code WAIT} is for all that this connection has written before. */
  private CompletableFuture<Acknowledgement> await(Wire wire, int required) {
    return wire.send(commands -> commands.waitForReplication(required, waitMillis))
        .thenApply(count -> count >= required ? Acknowledgement.ENOUGH : Acknowledgement.TOO_FEW);
  }

  /** A script that the server does not know goes into the next batch: this WAIT was not for it. */
  private void failed(Pending each, Throwable failure) {
    if (each.bySource() || !(Failures.root(failure) instanceof RedisNoScriptException)) {
      each.answer().completeExceptionally(failure);
      return;
    }
    synchronized (this) {
      pending.add(each.again());
    }
  }
}
