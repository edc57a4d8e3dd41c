// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.Holder;
import io.holdfast.quorum.QuorumListener.Voted;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import io.holdfast.spi.QuorumNode.Ballot;
import io.holdfast.spi.QuorumNode.Vote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private final ClockJudge clocks;
  private final Supplier<CompletableFuture<Boolean>> refresh;
  private final Map<Holder, Long> tickets = new ConcurrentHashMap<>();

  Voting(
      Roster roster,
      Proposals proposals,
      ClockJudge clocks,
      Supplier<CompletableFuture<Boolean>> refresh) {
    this.refresh = refresh;
    this.clocks = clocks;
    this.roster = roster;
    this.proposals = proposals;
  }

  /**
   * One of the times that a request is put to the vote.
   *
   * @param majority by the configuration that the ballot names
   * @param behindNanos how far our clocks had fallen behind when it began
   * @param number 1 for the first
   */
  private record Attempt(
      AcquireRequest request, Ballot ballot, Majority majority, long behindNanos, int number) {
    Hold hold() {
      return request.hold();
    }
  }

  CompletableFuture<Acquisition> acquire(AcquireRequest request) {
    Duration caution = clocks.caution();
    if (!caution.isZero()) {
      return failed(
          BackendException.notApplied(
              "the clocks of this process and those of the nodes have moved apart: it asks for no"
                  + " lock for another "
                  + caution.toMillis()
                  + " ms",
              null));
    }
    return attempt(request, 1);
  }

  private CompletableFuture<Acquisition> attempt(AcquireRequest request, int number) {
    Map<Node, Long> known = Tally.epochs(roster.nodes());
    Majority majority = roster.majority();
    Ballot ballot =
        new Ballot(
            request.hold(),
            proposals.next(),
            ticket(request),
            roster.settings().longestLease(),
            majority.configuration().generation(),
            request.purpose());
    Attempt attempt = new Attempt(request, ballot, majority, clocks.behindNanos(), number);
    return roster
        .ask(
            timeout(request.hold()),
            node -> node.vote(ballot),
            votes -> new Tally(votes, known, majority).isDecided())
        .thenCompose(
            votes ->
                clocks
                    .settled()
                    .thenCompose(done -> decide(attempt, new Tally(votes, known, majority))));
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

  private Duration timeout(Hold hold) {
    return roster.settings().timeoutFor(hold.leaseTime());
  }

  private CompletableFuture<Acquisition> decide(Attempt attempt, Tally tally) {
    Map<Node, Vote.Granted> grants = tally.grants();
    grants.forEach(
        (node, granted) -> {
          node.epoch(granted.epoch());
          proposals.seen(granted.number());
        });
    if (!tally.isWon()) {
      return lost(attempt, tally, 1);
    }
    return tally
        .agreed()
        .map(token -> granted(attempt, tally, token, 1))
        .orElseGet(() -> confirm(attempt, tally, grants));
  }

  private CompletableFuture<Acquisition> confirm(
      Attempt attempt, Tally tally, Map<Node, Vote.Granted> grants) {
    Hold hold = attempt.hold();
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
            answers -> isConfirmed(attempt, answers))
        .thenCompose(
            answers ->
                isConfirmed(attempt, answers)
                    ? granted(attempt, tally, token, 2)
                    : lost(attempt, tally, 2));
  }

  private static boolean isConfirmed(Attempt attempt, Answers<Boolean> answers) {
    return attempt.majority().of(answers.nodes(isConfirmed -> isConfirmed));
  }

  private CompletableFuture<Acquisition> granted(
      Attempt attempt, Tally tally, long token, int rounds) {
    Hold hold = attempt.hold();
    long lease = hold.leaseTime().toNanos();
    long drift = Math.max(Duration.ofMillis(2).toNanos(), lease / 100);
    // What our clocks did not count counts too.
    Moment since = attempt.request().sent().plusNanos(attempt.behindNanos() - clocks.behindNanos());
    if (lease - roster.context().now().nanosSince(since) - drift <= 0) {
      withdraw(attempt);
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
    return CompletableFuture.completedFuture(new Acquisition.Granted(token, 0, since));
  }

  private CompletableFuture<Acquisition> lost(Attempt attempt, Tally tally, int rounds) {
    AcquireRequest request = attempt.request();
    Hold hold = attempt.hold();
    withdraw(attempt);
    tell(hold, false, rounds, tally);
    if (tally.cameTooLate() && attempt.number() < TRIES) {
      // The clock of a node was set: its answer has told us its time.
      return attempt(request, attempt.number() + 1);
    }
    if (tally.hasOtherMembers() && attempt.number() < TRIES) {
      return refresh.get().thenCompose(done -> attempt(request, attempt.number() + 1));
    }
    if (!attempt.majority().of(tally.voting())) {
      forget(hold.holder());
      return failed(tooFew(hold, tally));
    }
    Duration pause = pause();
    boolean split = tally.heldFor().isEmpty();
    if (split && request.patience().isZero() && attempt.number() < TRIES) {
      return later(pause, () -> attempt(request, attempt.number() + 1));
    }
    return CompletableFuture.completedFuture(new Acquisition.Held(tally.heldFor().orElse(pause)));
  }

  /** Takes back what this attempt was given; a later one of the same holder keeps its votes. */
  private void withdraw(Attempt attempt) {
    roster.withdraw(attempt.hold(), attempt.ballot().proposed());
  }

  private BackendException tooFew(Hold hold, Tally tally) {
    String message =
        "only "
            + tally.voting().size()
            + " of "
            + tally.majority().configuration().members().size()
            + " nodes gave a vote for '"
            + hold.name()
            + "', and "
            + tally.majority().words()
            + " are needed. "
            + sentence(tally);
    List<Node> possible = new ArrayList<>(tally.grants().keySet());
    tally.votes().all().stream()
        .filter(Answers.Answer::isUnknown)
        .forEach(answer -> possible.add(answer.node()));
    boolean maybe = tally.majority().of(possible);
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
