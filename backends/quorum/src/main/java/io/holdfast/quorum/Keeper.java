// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.quorum.Answers.Answer;
import io.holdfast.spi.Moment;
import io.holdfast.spi.QuorumNode.Configuration;
import io.holdfast.spi.QuorumNode.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the nodes: about once in a second it asks each how it is. It has those join that lost
 * their data, and notices those that are silent, or two that are one.
 */
final class Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration START_PATIENCE = Duration.ofSeconds(8);
  private static final Duration START_PAUSE = Duration.ofMillis(50);

  private final Roster roster;
  private final Proposals proposals;
  private final Joining joining;
  private final ClockJudge clocks;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean founded;

  Keeper(Roster roster, Proposals proposals, ClockJudge clocks) {
    this.clocks = clocks;
    this.roster = roster;
    this.proposals = proposals;
    this.joining = new Joining(roster, proposals);
  }

  /**
   * Waits until a majority of the nodes are members.
   *
   * @throws BackendException if they are not in bounded time, or two nodes are one server
   */
  void start() {
    Moment begin = roster.context().now();
    while (true) {
      Answers<State> states = await(firstLook());
      requireFitness(states);
      requireMajorityOfMembers(states);
      if (roster.majority().of(states.nodes(State::isMember))) {
        note(states);
        Futures.ignore(() -> mend(states));
        later();
        return;
      }
      boolean joined = await(mend(states));
      if (!joined && roster.context().now().since(begin).compareTo(START_PATIENCE) > 0) {
        throw BackendException.notApplied(
            "a majority of the nodes of "
                + roster.nodes()
                + " must be members. "
                + states.sentence(state -> state.isMember() ? "is a member" : "knows nothing")
                + (joining.isPossible(states)
                    ? ""
                    : ". Nodes that know nothing can join when a majority are members, or when all"
                        + " nodes answer"),
            null);
      }
      if (!joined) {
        await(pause());
      }
    }
  }

  /**
   * Refuses an address by which nothing could ever be granted: it names another quorum, or is older
   * than a change of the members.
   */
  private void requireMajorityOfMembers(Answers<State> states) {
    Configuration known = joining.newest(states);
    roster.configuration(known);
    if (!roster.majority().of(roster.nodes())) {
      throw BackendException.refused(
          "the quorum has the members "
              + known.lists()
              + ", and the address names no majority of them, only "
              + roster.nodes()
              + ": use an address with its members",
          null);
    }
  }

  /** Does not wait for the silent ones if a majority answers. */
  private CompletableFuture<Answers<State>> firstLook() {
    Moment begin = roster.context().now();
    CompletableFuture<Answers<State>> look = new CompletableFuture<>();
    AtomicReference<Answers<State>> latest = new AtomicReference<>(new Answers<>(List.of()));
    AtomicBoolean waits = new AtomicBoolean();
    Runnable over =
        () -> {
          Answers<State> states = latest.get();
          states.all().stream().filter(Answer::isOpen).forEach(open -> open.node().wasSilent());
          look.complete(states);
        };
    CompletableFuture<Answers<State>> all =
        Round.ask(
            roster,
            roster.nodes(),
            roster.settings().timeout(),
            Node::state,
            states -> {
              latest.set(states);
              if (roster.majority().of(states.nodes()) && waits.compareAndSet(false, true)) {
                long elapsed = roster.context().now().nanosSince(begin);
                long grace = Math.max(START_PAUSE.toNanos(), elapsed);
                roster.context().after(Duration.ofNanos(grace), over);
              }
              return false;
            });
    Futures.handle(all, (states, problem) -> look.complete(states == null ? latest.get() : states));
    return look;
  }

  private void requireFitness(Answers<State> states) {
    for (Answer<State> answer : states.all()) {
      BackendException failure = answer.failure().orElse(null);
      if (failure != null && !failure.isTransient()) {
        throw BackendException.refused(
            "node " + answer.node() + " cannot be used: " + failure.getMessage(), failure);
      }
    }
    Map<String, Node> servers = new HashMap<>();
    for (Answer<State> answer : states.all()) {
      String identity = answer.value().map(State::identity).orElse("");
      Node other = identity.isEmpty() ? null : servers.putIfAbsent(identity, answer.node());
      if (other != null) {
        throw BackendException.refused(
            "the nodes "
                + other
                + " and "
                + answer.node()
                + " are one and the same server, which has one vote: name each server once",
            null);
      }
    }
  }

  private <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw BackendException.notApplied("interrupted while the nodes were asked", interrupted);
    } catch (ExecutionException | TimeoutException failed) {
      throw BackendException.notApplied("the nodes do not answer: " + failed.getMessage(), failed);
    }
  }

  private CompletableFuture<Boolean> pause() {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    roster.context().after(START_PAUSE, () -> over.complete(true));
    return over;
  }

  private void later() {
    long jitter = roster.context().random().nextLong(PERIOD.toNanos() / 4);
    roster.context().after(PERIOD.minusNanos(jitter), this::look);
  }

  private void look() {
    if (closed.get()) {
      return;
    }
    Futures.handle(lookNow(), (done, problem) -> later());
  }

  /** Asks all nodes how they are, and does what follows. True if a node has joined. */
  CompletableFuture<Boolean> lookNow() {
    return roster
        .<State>askAll(Node::state)
        .thenCompose(
            states -> {
              note(states);
              return mend(states);
            });
  }

  private void note(Answers<State> states) {
    states.values().forEach(state -> proposals.seen(state.newest()));
    clocks.looked(states);
    follow(joining.newest(states), states);
    leaveOutTwins(states);
    Configuration known = roster.configuration();
    for (Answer<State> answer : states.all()) {
      Node node = answer.node();
      State state = answer.value().orElse(null);
      if (node.isUnfit()) {
        roster.stands(node, Standing.UNFIT, "");
      } else if (!roster.majority().includes(node)) {
        roster.stands(node, Standing.NOT_A_MEMBER, ": its members are " + known.lists());
      } else if (state == null) {
        roster.stands(node, Standing.SILENT, ": " + answer.describe(unused -> ""));
      } else if (!state.isMember()) {
        roster.stands(node, Standing.LOST_ITS_DATA, "");
      } else if (!state.rest().isZero() || node.isLeftOut()) {
        roster.stands(node, Standing.RESTS, " (for " + state.rest().toMillis() + " ms)");
      } else {
        roster.stands(node, Standing.TAKES_PART, "");
      }
    }
  }

  /** Goes by the newest configuration, and tells it to members that have not heard of it. */
  private void follow(Configuration newest, Answers<State> states) {
    if (newest.generation() == 0) {
      return;
    }
    if (newest.generation() != roster.configuration().generation()) {
      LOG.info("quorum: the members are {}", newest.lists());
      roster.configuration(newest);
    }
    for (Answer<State> answer : states.all()) {
      boolean isBehind =
          answer
              .value()
              .filter(State::isMember)
              .filter(state -> state.configuration().generation() < newest.generation())
              .isPresent();
      if (isBehind) {
        Futures.ignore(() -> answer.node().store().adopt(newest));
      }
    }
  }

  /** One that was silent at the start may turn out to be another one's server. */
  private void leaveOutTwins(Answers<State> states) {
    Map<String, Node> servers = new HashMap<>();
    for (Answer<State> answer : states.all()) {
      String identity = answer.value().map(State::identity).orElse("");
      if (!identity.isEmpty() && servers.putIfAbsent(identity, answer.node()) != null) {
        answer.node().markUnfit();
      }
    }
  }

  /** True if a node has joined. */
  private CompletableFuture<Boolean> mend(Answers<State> states) {
    if (joining.isFounding(states)) {
      return joining
          .found()
          .exceptionally(failed -> false)
          .thenApply(
              isDone -> {
                founded = founded || isDone;
                return isDone;
              });
    }
    List<CompletableFuture<Boolean>> attempts = new ArrayList<>();
    if (joining.isPossible(states)) {
      for (Answer<State> answer : states.all()) {
        boolean isLost = answer.value().filter(state -> !state.isMember()).isPresent();
        if (isLost && roster.majority().includes(answer.node()) && !answer.node().isUnfit()) {
          attempts.add(joining.join(answer.node()).exceptionally(failed -> false));
        }
      }
    }
    return CompletableFuture.allOf(attempts.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> attempts.stream().anyMatch(CompletableFuture::join));
  }

  /** Whether the nodes knew nothing, and this process has made them members. */
  boolean hasFounded() {
    return founded;
  }

  void close() {
    closed.set(true);
  }
}
