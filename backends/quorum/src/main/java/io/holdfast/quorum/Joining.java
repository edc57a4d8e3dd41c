// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.holdfast.quorum.Answers.Answer;
import io.holdfast.quorum.QuorumSettings.Founding;
import io.holdfast.spi.QuorumNode.Configuration;
import io.holdfast.spi.QuorumNode.Knowledge;
import io.holdfast.spi.QuorumNode.Membership;
import io.holdfast.spi.QuorumNode.State;
import java.time.Duration;
import java.util.Comparator;
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

  private static final Answers<State> NO_STATES = new Answers<>(List.of());

  private final Roster roster;
  private final Proposals proposals;

  Joining(Roster roster, Proposals proposals) {
    this.roster = roster;
    this.proposals = proposals;
  }

  /** Whether the nodes that have answered are enough for any other to join. */
  boolean isPossible(Answers<State> states) {
    Configuration configuration = newest(states);
    return Majority.isMajority(configuration.members(), states.nodes(State::isMember))
        || configuration.lists().stream().allMatch(list -> areThere(list, states.nodes()));
  }

  private static boolean areThere(List<String> list, List<Node> nodes) {
    return nodes.stream().map(Node::member).toList().containsAll(list);
  }

  /** Whether all nodes know nothing: they are new, or lost everything at once. */
  boolean isFounding(Answers<State> states) {
    return states.count(state -> state.knowledge() == Knowledge.NONE) == roster.nodes().size();
  }

  /** What the nodes say of who the members are; by the address if they know nothing. */
  Configuration newest(Answers<State> states) {
    return states
        .values()
        .map(State::configuration)
        .filter(known -> known.generation() > 0)
        .max(Comparator.comparingLong(Configuration::generation))
        .orElseGet(() -> roster.named(0));
  }

  /**
   * Makes members of nodes that know nothing, all of them by one client: another that looked on
   * would take the last ones for nodes that lost their data. True if they are members now.
   */
  CompletableFuture<Boolean> found() {
    String ticket = ticket();
    List<Node> inOrder =
        roster.nodes().stream().sorted(Comparator.comparing(Node::identity)).toList();
    return askInTurn(inOrder, ticket)
        .thenCompose(mine -> mine ? roster.<State>askAll(Node::state) : completedFuture(NO_STATES))
        .thenCompose(states -> isFounding(states) ? found(ticket) : completedFuture(false));
  }

  /** In the same order by all, so that one of them gets all. */
  private CompletableFuture<Boolean> askInTurn(List<Node> nodes, String ticket) {
    if (nodes.isEmpty()) {
      return completedFuture(true);
    }
    return nodes
        .get(0)
        .store()
        .askToJoin(ticket)
        .thenCompose(
            mine ->
                mine ? askInTurn(nodes.subList(1, nodes.size()), ticket) : completedFuture(false))
        .toCompletableFuture();
  }

  private CompletableFuture<Boolean> found(String ticket) {
    Duration longest = roster.settings().longestLease();
    boolean isTrusted = roster.settings().founding() == Founding.AT_ONCE;
    long number = proposals.next();
    Configuration configuration = roster.named(2 * number + 1);
    LOG.info("quorum: founding; all nodes are new, or all have lost their data");
    return roster
        .<Boolean>askAll(
            node ->
                node.store()
                    .join(
                        ticket,
                        new Membership(
                            number,
                            epoch(NO_STATES),
                            isTrusted ? Duration.ZERO : longest,
                            longest,
                            node.toString(),
                            configuration)))
        .thenApply(joined -> joined.count(isSo -> isSo) > 0);
  }

  /** Of this process, which may replace its own; never used before, so that it does not return. */
  private String ticket() {
    return roster.context().origin().process() + "/" + roster.context().random().nextLong();
  }

  /** True if the node is a member now. */
  CompletableFuture<Boolean> join(Node node) {
    String ticket = ticket();
    return node.store()
        .askToJoin(ticket)
        .thenCompose(
            mine ->
                mine
                    ? roster.<State>askAll(Node::state).thenCompose(all -> join(node, ticket, all))
                    : completedFuture(false))
        .toCompletableFuture();
  }

  private CompletableFuture<Boolean> join(Node node, String ticket, Answers<State> states) {
    Optional<State> own =
        states.all().stream()
            .filter(answer -> answer.node() == node)
            .flatMap(answer -> answer.value().stream())
            .findFirst();
    Configuration configuration = newest(states);
    boolean isMember = configuration.lists().stream().anyMatch(list -> contains(list, node));
    if (own.isEmpty() || !isMember || !isPossible(states) || isFounding(states)) {
      return completedFuture(false);
    }
    List<Node> members =
        states.all().stream()
            .filter(answer -> answer.value().filter(State::isMember).isPresent())
            .map(Answer::node)
            .toList();
    List<String> needed = configuration.members();
    boolean isMajority = Majority.isMajority(needed, members);
    return raise(members)
        .thenCompose(
            raised -> {
              List<Node> read = raised.nodes(State::isMember);
              boolean isEnough =
                  isMajority ? Majority.isMajority(needed, read) : read.size() == members.size();
              return isEnough
                  ? node.store()
                      .join(ticket, membership(node, own.get(), raised, isMajority))
                      .thenApply(joined -> tell(node, joined, raised))
                  : completedFuture(false);
            });
  }

  private static boolean contains(List<String> list, Node node) {
    return list.contains(node.toString()) || list.contains(node.member());
  }

  private CompletableFuture<Answers<State>> raise(List<Node> members) {
    return members.isEmpty()
        ? completedFuture(NO_STATES)
        : Round.ask(
            roster,
            members,
            roster.settings().timeout(),
            member -> member.store().raiseEpoch(),
            answers -> false);
  }

  private Membership membership(Node node, State own, Answers<State> raised, boolean isMajority) {
    long newest =
        Math.max(
            isMajority ? 0 : proposals.next(),
            raised.values().mapToLong(State::newest).max().orElse(0));
    Duration longest =
        Stream.concat(raised.values(), Stream.of(own))
            .map(State::longestLease)
            .reduce(
                roster.settings().longestLease(),
                (one, other) -> one.compareTo(other) < 0 ? other : one);
    Configuration configuration =
        Stream.concat(raised.values(), Stream.of(own))
            .map(State::configuration)
            .max(Comparator.comparingLong(Configuration::generation))
            .orElse(Configuration.NONE);
    return new Membership(
        Math.max(newest, configuration.floor()),
        epoch(raised),
        longest,
        longest,
        node.member(),
        configuration);
  }

  /** One that the node never had. */
  private long epoch(Answers<State> raised) {
    return Math.max(
        1 + raised.values().mapToLong(State::epoch).max().orElse(0),
        roster.context().now().wallNanos() / 1000);
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
