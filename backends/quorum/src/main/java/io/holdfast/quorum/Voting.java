// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.Holder;
import io.holdfast.quorum.QuorumListener.Voted;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.QuorumNode.Ballot;
import io.holdfast.spi.QuorumNode.Vote;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Acquires: asks all nodes for their votes, and is granted the lock if a majority gives them in
 * time. The token is the number that they agree on; if they do not, the greatest of them, which a
 * majority must then confirm.
 */
final class Voting {
  /** How often a caller that does not wait asks when nobody has a majority. */
  private static final int TRIES = 4;

  private static final int SHORTEST_PAUSE_MILLIS = 5;
  private static final int LONGEST_PAUSE_MILLIS = 80;

  private final Roster roster;
  private final Proposals proposals;
  private final Map<Holder, Long> tickets = new ConcurrentHashMap<>();

  Voting(Roster roster, Proposals proposals) {
    this.roster = roster;
    this.proposals = proposals;
  }

  CompletableFuture<Acquisition> acquire(AcquireRequest request) {
    return attempt(request, 1);
  }

  private CompletableFuture<Acquisition> attempt(AcquireRequest request, int number) {
    Map<Node, Long> known = Tally.epochs(roster.nodes());
    Ballot ballot =
        new Ballot(
            request.hold(),
            proposals.next(),
            ticket(request),
            roster.settings().longestLease(),
            request.purpose());
    return roster
        .ask(
            timeout(request.hold()),
            node -> node.vote(ballot),
            votes -> tally(votes, known).isDecided())
        .thenCompose(votes -> decide(request, tally(votes, known), number));
  }

  /** The same for one holder, so that the nodes agree on who has waited longest. */
  private long ticket(AcquireRequest request) {
    return request.patience().isZero()
        ? 0
        : tickets.computeIfAbsent(request.hold().holder(), unused -> proposals.next());
  }

  /** It waits no more. */
  void forget(Holder holder) {
    tickets.remove(holder);
  }

  private Tally tally(Answers<Vote> votes, Map<Node, Long> known) {
    return new Tally(votes, known, roster.majority());
  }

  private Duration timeout(Hold hold) {
    return roster.settings().timeoutFor(hold.leaseTime());
  }

  private CompletableFuture<Acquisition> decide(AcquireRequest request, Tally tally, int number) {
    Map<Node, Vote.Granted> grants = tally.grants();
    grants.forEach(
        (node, granted) -> {
          node.epoch(granted.epoch());
          proposals.seen(granted.number());
        });
    if (!tally.isWon()) {
      return lost(request, tally, number, 1);
    }
    return tally
        .agreed()
        .map(token -> granted(request, tally, token, 1))
        .orElseGet(() -> confirm(request, tally, grants, number));
  }

  private CompletableFuture<Acquisition> confirm(
      AcquireRequest request, Tally tally, Map<Node, Vote.Granted> grants, int number) {
    Hold hold = request.hold();
    long token = tally.highest();
    return Round.<Boolean>ask(
            roster,
            grants.keySet().stream().toList(),
            timeout(hold),
            node -> {
              Vote.Granted vote = grants.get(node);
              long epoch = vote == null ? 0 : vote.epoch();
              return node.store().confirm(hold.name(), hold.holder(), token, epoch);
            },
            answers -> answers.count(isConfirmed -> isConfirmed) >= roster.majority())
        .thenCompose(
            answers ->
                answers.count(isConfirmed -> isConfirmed) >= roster.majority()
                    ? granted(request, tally, token, 2)
                    : lost(request, tally, number, 2));
  }

  private CompletableFuture<Acquisition> granted(
      AcquireRequest request, Tally tally, long token, int rounds) {
    Hold hold = request.hold();
    long lease = hold.leaseTime().toNanos();
    long drift = Math.max(Duration.ofMillis(2).toNanos(), lease / 100);
    if (lease - roster.context().now().nanosSince(request.sent()) - drift <= 0) {
      roster.withdraw(hold);
      forget(hold.holder());
      tell(hold, false, rounds, tally);
      return failed(
          BackendException.notApplied(
              "the votes for '"
                  + hold.name()
                  + "' took longer than its lease time of "
                  + hold.leaseTime()
                  + ": give it a longer one, or look at the nodes. "
                  + sentence(tally),
              null));
    }
    forget(hold.holder());
    tell(hold, true, rounds, tally);
    return CompletableFuture.completedFuture(new Acquisition.Granted(token, 0, request.sent()));
  }

  private CompletableFuture<Acquisition> lost(
      AcquireRequest request, Tally tally, int number, int rounds) {
    Hold hold = request.hold();
    roster.withdraw(hold);
    tell(hold, false, rounds, tally);
    if (tally.voting() < roster.majority()) {
      forget(hold.holder());
      return failed(tooFew(hold, tally));
    }
    Duration pause = pause();
    boolean split = tally.heldFor().isEmpty();
    if (split && request.patience().isZero() && number < TRIES) {
      return later(pause, () -> attempt(request, number + 1));
    }
    return CompletableFuture.completedFuture(new Acquisition.Held(tally.heldFor().orElse(pause)));
  }

  private BackendException tooFew(Hold hold, Tally tally) {
    String message =
        "only "
            + tally.voting()
            + " of "
            + roster.nodes().size()
            + " nodes gave a vote for '"
            + hold.name()
            + "', and "
            + roster.majority()
            + " are needed. "
            + sentence(tally);
    boolean maybe = tally.grants().size() + tally.votes().unknown() >= roster.majority();
    return maybe
        ? BackendException.unknown(message, null)
        : BackendException.notApplied(message, null);
  }

  /** At random, so that those who split the votes do not split them again. */
  private Duration pause() {
    return Duration.ofMillis(
        roster.context().random().nextInt(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS));
  }

  private CompletableFuture<Acquisition> later(
      Duration pause, Supplier<CompletableFuture<Acquisition>> next) {
    CompletableFuture<Acquisition> answer = new CompletableFuture<>();
    roster
        .context()
        .after(
            pause,
            () ->
                Futures.handle(
                    Futures.begin(next::get),
                    (value, problem) -> {
                      if (problem != null) {
                        answer.completeExceptionally(problem);
                      } else {
                        answer.complete(value);
                      }
                    }));
    return answer;
  }

  private static String sentence(Tally tally) {
    return tally.votes().sentence(Tally::words);
  }

  private static CompletableFuture<Acquisition> failed(BackendException failure) {
    return CompletableFuture.failedFuture(failure);
  }

  private void tell(Hold hold, boolean granted, int rounds, Tally tally) {
    roster.tell(
        listener ->
            listener.voted(
                new Voted(hold.name(), granted, rounds, tally.votes().describe(Tally::words))));
  }
}
