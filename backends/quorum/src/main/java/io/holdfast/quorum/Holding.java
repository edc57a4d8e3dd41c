// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.QuorumNode.Release;
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
    return roster
        .<List<Renewal>>ask(
            roster.settings().timeoutFor(shortest),
            node -> node.store().renew(holds),
            answers -> areRenewed(holds, answers))
        .thenApply(answers -> renewals(holds, answers));
  }

  private boolean areRenewed(List<Hold> holds, Answers<List<Renewal>> answers) {
    for (int place = 0; place < holds.size(); place++) {
      if (count(answers, place, Renewal.RENEWED) < roster.majority()) {
        return false;
      }
    }
    return true;
  }

  private List<Renewal> renewals(List<Hold> holds, Answers<List<Renewal>> answers) {
    // What a minority still keeps is left to end by itself: to take it back now could let another
    // in before its holder has heard of the loss.
    List<Renewal> renewals = new ArrayList<>();
    for (int place = 0; place < holds.size(); place++) {
      renewals.add(renewal(answers, place));
    }
    return renewals;
  }

  private Renewal renewal(Answers<List<Renewal>> answers, int place) {
    if (count(answers, place, Renewal.RENEWED) >= roster.majority()) {
      return Renewal.RENEWED;
    }
    int forced = count(answers, place, Renewal.FORCED);
    int taken = count(answers, place, Renewal.TAKEN);
    int refused = forced + taken + count(answers, place, Renewal.GONE);
    if (forced > 0) {
      return Renewal.FORCED;
    }
    if (roster.nodes().size() - refused >= roster.majority()) {
      return Renewal.UNKNOWN;
    }
    return taken > 0 ? Renewal.TAKEN : Renewal.GONE;
  }

  /** How many nodes that count say so. */
  private static int count(Answers<List<Renewal>> answers, int place, Renewal wanted) {
    return (int)
        answers.all().stream()
            .filter(answer -> answer.node().counts())
            .flatMap(answer -> answer.value().stream())
            .filter(renewals -> renewals.get(place) == wanted)
            .count();
  }

  /** On all nodes, those too that seem to be silent; answered when a majority has said yes. */
  CompletableFuture<Boolean> release(Hold hold) {
    return roster
        .<Boolean>ask(
            roster.settings().timeout(),
            node -> node.store().release(hold, Release.ANNOUNCED),
            answers -> answers.count(had -> had) >= roster.majority())
        .thenApply(answers -> wasHeld("release", hold.name(), answers));
  }

  /**
   * Whether a majority had it, as far as can be told: a node that does not answer is not known to
   * have lost it.
   *
   * @throws BackendException if too few nodes answered
   */
  private boolean wasHeld(String verb, String name, Answers<Boolean> answers) {
    if (answers.answered() < roster.majority()) {
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
    int had = answers.count(isSo -> isSo);
    int silent = answers.all().size() - answers.answered();
    return had > 0 && had + silent >= roster.majority();
  }

  CompletableFuture<Boolean> forceRelease(String name, String holder, String reason) {
    return roster
        .<Boolean>ask(node -> node.store().forceRelease(name, holder, reason))
        .thenApply(answers -> wasHeld("force release", name, answers));
  }
}
