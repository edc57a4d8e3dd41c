// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What is done with a lock that is held: it is renewed by a majority, and released by all. */
final class Holding {
  private final Roster roster;

  Holding(Roster roster) {
    this.roster = roster;
  }

  CompletableFuture<List<Renewal>> renew(List<Hold> holds) {
    if (holds.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Duration shortest =
        holds.stream().map(Hold::leaseTime).min(Comparator.naturalOrder()).orElseThrow();
    Majority majority = roster.majority();
    long generation = majority.configuration().generation();
    return roster
        .<List<Renewal>>ask(
            roster.settings().timeoutFor(shortest),
            node -> node.store().renew(holds, generation),
            answers -> areRenewed(majority, holds, answers))
        .thenApply(answers -> renewals(majority, holds, answers));
  }

  private static boolean areRenewed(
      Majority majority, List<Hold> holds, Answers<List<Renewal>> answers) {
    for (int place = 0; place < holds.size(); place++) {
      if (!majority.of(saying(answers, place, Renewal.RENEWED))) {
        return false;
      }
    }
    return true;
  }

  private List<Renewal> renewals(
      Majority majority, List<Hold> holds, Answers<List<Renewal>> answers) {
    // What a minority still keeps is left to end by itself: to take it back now could let another
    // in before its holder has heard of the loss.
    List<Renewal> renewals = new ArrayList<>();
    for (int place = 0; place < holds.size(); place++) {
      renewals.add(renewal(majority, answers, place));
    }
    return renewals;
  }

  private Renewal renewal(Majority majority, Answers<List<Renewal>> answers, int place) {
    if (majority.of(saying(answers, place, Renewal.RENEWED))) {
      return Renewal.RENEWED;
    }
    if (!saying(answers, place, Renewal.FORCED).isEmpty()) {
      return Renewal.FORCED;
    }
    List<Node> taken = saying(answers, place, Renewal.TAKEN);
    List<Node> others = new ArrayList<>(roster.members());
    others.removeAll(taken);
    others.removeAll(saying(answers, place, Renewal.GONE));
    if (majority.of(others)) {
      return Renewal.UNKNOWN;
    }
    return taken.isEmpty() ? Renewal.GONE : Renewal.TAKEN;
  }

  /** The nodes that count and say so. */
  private static List<Node> saying(Answers<List<Renewal>> answers, int place, Renewal wanted) {
    return answers.nodes(renewals -> renewals.get(place) == wanted).stream()
        .filter(Node::counts)
        .toList();
  }

  /** On all nodes, those too that seem to be silent; answered when a majority has said yes. */
  CompletableFuture<Boolean> release(Hold hold) {
    return roster
        .<Boolean>ask(
            roster.settings().timeout(),
            node -> node.store().release(hold),
            answers -> roster.majority().of(answers.nodes(had -> had)))
        .thenApply(answers -> wasHeld("release", hold.name(), answers));
  }

  /**
   * Whether a majority had it, as far as can be told: a node that does not answer is not known to
   * have lost it.
   *
   * @throws BackendException if too few nodes answered
   */
  private boolean wasHeld(String verb, String name, Answers<Boolean> answers) {
    if (!roster.majority().of(answers.nodes())) {
      throw BackendException.unknown(
          verb
              + " of '"
              + name
              + "' reached only "
              + answers.answered()
              + " of "
              + answers.all().size()
              + " nodes. "
              + answers.sentence(had -> had ? "released" : "did not have it"),
          null);
    }
    List<Node> had = answers.nodes(isSo -> isSo);
    List<Node> possible = new ArrayList<>(roster.members());
    possible.removeAll(answers.nodes(isSo -> !isSo));
    return !had.isEmpty() && roster.majority().of(possible);
  }

  CompletableFuture<Boolean> forceRelease(String name, String holder, String reason) {
    return roster
        .<Boolean>ask(node -> node.store().forceRelease(name, holder, reason))
        .thenApply(answers -> wasHeld("force release", name, answers));
  }
}
