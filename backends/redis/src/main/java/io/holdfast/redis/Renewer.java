// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.BackendException;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Renewals in chunks: one script for many holds, all scripts of a call in one pipeline, in the
 * order in which the holds came, which is that of their deadlines.
 */
final class Renewer {
  /** Some 0.6 ms of the server, for which everybody else waits. */
  static final int CHUNK = 210;

  private final Keys keys;
  private final Topology topology;
  private final Claims claims;
  private final FenceKeeper fences;

  Renewer(Keys keys, Topology topology, Claims claims, FenceKeeper fences) {
    this.keys = keys;
    this.topology = topology;
    this.claims = claims;
    this.fences = fences;
  }

  CompletableFuture<List<Renewal>> renew(List<Hold> holds) {
    Renewal[] answers = new Renewal[holds.size()];
    Arrays.fill(answers, Renewal.UNKNOWN);
    ConcurrentLinkedQueue<BackendException> failures = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<?>> chunks = new ArrayList<>();
    for (List<Integer> chunk : topology.renewalChunks(holds, keys, CHUNK)) {
      if (holds.get(chunk.get(0)).mode() instanceof Mode.Exclusive) {
        fences.keep(chunk.stream().map(holds::get).toList());
      }
      chunks.add(
          renewOrSplit(holds, chunk, answers)
              .exceptionally(
                  failure -> {
                    failures.add(Failures.of("renewal failed", failure));
                    return null;
                  }));
    }
    CompletableFuture<List<Renewal>> answer = new CompletableFuture<>();
    Answers.handle(
        all(chunks),
        (done, unused) -> {
          BackendException failure = failures.peek();
          if (failure != null && failures.size() == chunks.size()) {
            answer.completeExceptionally(failure);
          } else {
            answer.complete(List.of(answers));
          }
        });
    return answer;
  }

  /** While a slot migrates, a script may touch one key only. */
  private CompletableFuture<Object> renewOrSplit(
      List<Hold> holds, List<Integer> chunk, Renewal[] answers) {
    return renew(holds, chunk, answers)
        .<Object>thenApply(done -> chunk)
        .exceptionallyCompose(
            failure -> {
              if (chunk.size() == 1 || !"TRYAGAIN".equals(Failures.codeOf(failure))) {
                return CompletableFuture.failedFuture(failure);
              }
              List<CompletableFuture<?>> singly = new ArrayList<>();
              chunk.forEach(index -> singly.add(renew(holds, List.of(index), answers)));
              return all(singly).thenApply(done -> chunk);
            });
  }

  private CompletableFuture<?> renew(List<Hold> holds, List<Integer> chunk, Renewal[] answers) {
    boolean alone = holds.get(chunk.get(0)).mode() instanceof Mode.Exclusive;
    List<String> chunkKeys = new ArrayList<>((alone ? 1 : 3) * chunk.size());
    List<String> arguments = new ArrayList<>(chunk.size() + 1);
    for (int index : chunk) {
      Hold hold = holds.get(index);
      if (alone) {
        chunkKeys.add(keys.prefix() + hold.name());
      } else {
        chunkKeys.addAll(List.of(keys.of(hold.name()).shared()));
      }
      arguments.add(hold.holder().toString());
    }
    arguments.addAll(leases(holds, chunk));
    return topology
        .evalAcknowledged(
            alone ? Script.RENEW : Script.RENEW_SHARED,
            chunkKeys.toArray(String[]::new),
            wire -> arguments.toArray(String[]::new))
        .thenCompose(
            acknowledged -> {
              List<Object> reply = acknowledged.reply();
              boolean all = reply.size() == 1;
              Throwable unacknowledged = acknowledged.acknowledgement().failure();
              if (all && unacknowledged != null) {
                return CompletableFuture.failedFuture(unacknowledged); // All are UNKNOWN, and why.
              }
              List<CompletableFuture<?>> causes = new ArrayList<>(0);
              for (int i = 0; i < chunk.size(); i++) {
                int index = chunk.get(i);
                long code = all ? 1 : Script.number(reply, i + 1);
                answers[index] = answer(code, acknowledged.byReplicas());
                if (code != 1) {
                  causes.add(findCause(holds.get(index), index, answers));
                }
              }
              return all(causes);
            });
  }

  /** One stands for all if they are the same, as mostly. */
  private static List<String> leases(List<Hold> holds, List<Integer> chunk) {
    Duration first = holds.get(chunk.get(0)).leaseTime();
    boolean isTheSame =
        chunk.stream().allMatch(index -> holds.get(index).leaseTime().equals(first));
    List<Integer> said = isTheSame ? chunk.subList(0, 1) : chunk;
    return said.stream()
        .map(index -> Long.toString(Entries.millis(holds.get(index).leaseTime())))
        .toList();
  }

  /** Not acknowledged: it may be by the next try, and is lost if it never is. */
  private static Renewal answer(long code, boolean byReplicas) {
    if (code == 1) {
      return byReplicas ? Renewal.RENEWED : Renewal.UNKNOWN;
    }
    return code == 0 ? Renewal.GONE : Renewal.TAKEN;
  }

  /** Somebody may have ended it by force, and the message did not get through. */
  private CompletableFuture<?> findCause(Hold hold, int index, Renewal[] answers) {
    claims.forget(hold.holder());
    String forced = keys.of(hold.name()).forced();
    return topology
        .send(
            forced,
            wire -> wire.send(commands -> commands.zscore(forced, hold.holder().toString())))
        .handle(
            (until, failure) -> {
              if (until != null) {
                answers[index] = Renewal.FORCED;
              }
              return until;
            });
  }

  private static CompletableFuture<?> all(List<CompletableFuture<?>> parts) {
    return parts.isEmpty()
        ? completedFuture(null)
        : CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
  }
}
