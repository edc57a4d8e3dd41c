// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.quorum.Answers.Answer;
import io.holdfast.quorum.QuorumSettings.Founding;
import io.holdfast.spi.QuorumNode.Knowledge;
import io.holdfast.spi.QuorumNode.Membership;
import io.holdfast.spi.QuorumNode.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a node that lost its data join again. It takes the newest token from a majority of members,
 * each of which raises its epoch as it is read: votes that were given before cannot be confirmed
 * after. First of all it leaves a ticket at the node, so that what was read before yet another loss
 * of data is not written after it.
 *
 * <p>Without a majority of members there is no telling which tokens were granted. Then all nodes
 * must answer, and the newest token is that of those that know one, or the time.
 */
final class Joining {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);

  private final Roster roster;
  private final Proposals proposals;

  Joining(Roster roster, Proposals proposals) {
    this.roster = roster;
    this.proposals = proposals;
  }

  /** Whether the nodes that have answered are enough for any other to join. */
  boolean isPossible(Answers<State> states) {
    return states.count(State::isMember) >= roster.majority()
        || states.answered() == roster.nodes().size();
  }

  /** True if the node is a member now. */
  CompletableFuture<Boolean> join(Node node) {
    String ticket =
        roster.context().origin().process() + "-" + roster.context().random().nextLong();
    return node.store()
        .askToJoin(ticket)
        .thenCompose(
            mine ->
                mine
                    ? roster.<State>ask(Node::state).thenCompose(all -> join(node, ticket, all))
                    : completedFuture(false))
        .toCompletableFuture();
  }

  private CompletableFuture<Boolean> join(Node node, String ticket, Answers<State> states) {
    Optional<State> own =
        states.all().stream()
            .filter(answer -> answer.node() == node)
            .flatMap(answer -> answer.value().stream())
            .findFirst();
    if (own.isEmpty() || !isPossible(states)) {
      return completedFuture(false);
    }
    List<Node> members =
        states.all().stream()
            .filter(answer -> answer.value().filter(State::isMember).isPresent())
            .map(Answer::node)
            .toList();
    boolean allAreNew = states.count(state -> state.knowledge() != Knowledge.NONE) == 0;
    int needed = Math.min(members.size(), roster.majority());
    return raise(members)
        .thenCompose(
            raised ->
                raised.count(State::isMember) < needed
                    ? completedFuture(false)
                    : node.store()
                        .join(ticket, membership(own.get(), raised, allAreNew))
                        .thenApply(joined -> tell(node, joined, raised)));
  }

  private CompletableFuture<Answers<State>> raise(List<Node> members) {
    return members.isEmpty()
        ? completedFuture(new Answers<>(List.of()))
        : Round.ask(
            roster,
            members,
            roster.settings().timeout(),
            member -> member.store().raiseEpoch(),
            answers -> false);
  }

  private Membership membership(State own, Answers<State> raised, boolean allAreNew) {
    boolean majority = raised.count(State::isMember) >= roster.majority();
    long newest =
        Math.max(
            majority ? 0 : proposals.next(),
            raised.values().mapToLong(State::newest).max().orElse(0));
    long epoch =
        Math.max(
            1 + raised.values().mapToLong(State::epoch).max().orElse(0),
            roster.context().now().wallNanos() / 1000);
    Duration longest =
        Stream.concat(raised.values(), Stream.of(own))
            .map(State::longestLease)
            .reduce(
                roster.settings().longestLease(),
                (one, other) -> one.compareTo(other) < 0 ? other : one);
    boolean trusted = allAreNew && roster.settings().founding() == Founding.AT_ONCE;
    return new Membership(newest, epoch, trusted ? Duration.ZERO : longest, longest);
  }

  private boolean tell(Node node, boolean joined, Answers<State> raised) {
    if (joined) {
      LOG.info(
          "quorum: node {} has joined, with what {} other nodes know",
          node,
          raised.count(State::isMember));
    }
    return joined;
  }
}
