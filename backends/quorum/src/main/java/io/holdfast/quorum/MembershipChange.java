// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.BackendException;
import io.holdfast.spi.QuorumNode.Configuration;
import io.holdfast.spi.QuorumNode.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the members of a quorum, by way of a joint configuration in which everything needs a
 * majority of the old members and one of the new.
 *
 * <ol>
 *   <li>The change claims a majority, so that an operator who was interrupted earlier does nothing
 *       any more. What an interrupted change has begun is completed.
 *   <li>A majority of the old members adopt the joint configuration. From then on nothing is
 *       granted or renewed by the old one. The new nodes join.
 *   <li>For the longest lease time nothing else happens. Then every lease was granted or renewed by
 *       both majorities.
 *   <li>A majority of the new members adopt the new configuration, with the newest token of the old
 *       ones. From then on nothing is granted by the joint one.
 * </ol>
 *
 * <p>{@code verification/models/members.pml} is this as a model.
 */
final class MembershipChange {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumBackend.class);
  private static final Duration FIRST_PATIENCE = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Roster roster;
  private final Keeper keeper;

  MembershipChange(Roster roster, Keeper keeper) {
    this.roster = roster;
    this.keeper = keeper;
  }

  /**
   * Makes these nodes the members; returns when they are.
   *
   * @throws BackendException if it cannot be done, or is left half done: then it can be repeated
   */
  void to(List<String> members) {
    Configuration known = newest(states());
    if (!known.isJoint() && known.members().equals(members)) {
      return;
    }
    requirePossible(known, members);
    long change = claim(known);
    Configuration joint = new Configuration(2 * change, known.members(), members, known.floor());
    adopt(joint, joint.members());
    LOG.info("quorum: the members change from {} to {}", joint.members(), members);
    awaitAll(joint);
    Duration longest = longestLease(states());
    LOG.info("quorum: waiting for {}, until all leases rely on both", longest);
    await(pause(longest), longest);
    Answers<State> states = states();
    require(states, joint.members(), state -> goesBy(state, joint));
    require(states, members, state -> goesBy(state, joint));
    long floor = states.values().mapToLong(State::newest).max().orElse(0);
    adopt(new Configuration(2 * change + 1, members, List.of(), floor), members);
    LOG.info("quorum: the members are {}", members);
  }

  private void requirePossible(Configuration known, List<String> members) {
    if (known.isJoint() && !known.next().equals(members)) {
      throw BackendException.refused(
          "a change of the members to " + known.next() + " is under way: complete it first", null);
    }
    List<String> kept = new ArrayList<>(members);
    kept.retainAll(known.members());
    if (kept.size() <= members.size() / 2) {
      throw BackendException.refused(
          "a majority of the new members "
              + members
              + " must be members now, or leases would be lost: change fewer at a time. Members now: "
              + known.members(),
          null);
    }
    List<String> missing = missing(members);
    long end = System.nanoTime() + FIRST_PATIENCE.toNanos();
    while (!missing.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw BackendException.notApplied(
            "all new members must answer before the change begins, and these do not: " + missing,
            null);
      }
      await(pause(PAUSE), PATIENCE);
      missing = missing(members);
    }
  }

  /** Those that do not answer. */
  private List<String> missing(List<String> members) {
    List<String> missing = new ArrayList<>(members);
    missing.removeAll(states().nodes().stream().map(Node::member).toList());
    return missing;
  }

  /** Returns the number of the change. */
  private long claim(Configuration known) {
    long change = 1 + Math.max(roster.context().now().wallNanos() / 1000, known.change());
    Answers<Boolean> claimed =
        await(roster.<Boolean>askAll(node -> node.store().claim(change)), PATIENCE);
    boolean isMine =
        known.lists().stream()
            .allMatch(list -> Majority.isMajority(list, claimed.nodes(promised -> promised)));
    // What was adopted before the claim is seen after it, if a majority of those who adopt it
    // answers.
    Answers<State> seen = states();
    known.lists().forEach(list -> require(seen, list, State::isMember));
    if (!isMine || newest(seen).generation() != known.generation()) {
      throw BackendException.notApplied(
          "another change of the members is under way, or too few members answer; try again. "
              + claimed.sentence(promised -> promised ? "promised" : "refused"),
          null);
    }
    return change;
  }

  private void adopt(Configuration configuration, List<String> needed) {
    Answers<Boolean> adopted =
        await(roster.<Boolean>askAll(node -> node.store().adopt(configuration)), PATIENCE);
    if (!Majority.isMajority(needed, adopted.nodes(isSo -> isSo))) {
      throw BackendException.unknown(
          "too few members took the change over; repeat it. "
              + adopted.sentence(isSo -> isSo ? "took it over" : "refused"),
          null);
    }
  }

  /** The new nodes join by what the keeper does in any case. */
  private void awaitAll(Configuration joint) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!everyone(states(), joint)) {
      if (System.nanoTime() - end > 0) {
        throw BackendException.unknown(
            "not all of "
                + joint.next()
                + " have joined; the change is half done: repeat it when they answer",
            null);
      }
      await(keeper.lookNow(), PATIENCE);
      await(pause(PAUSE), PATIENCE);
    }
  }

  private static boolean everyone(Answers<State> states, Configuration joint) {
    List<String> there =
        states.nodes(state -> goesBy(state, joint)).stream().map(Node::member).toList();
    return there.containsAll(joint.next())
        && Majority.isMajority(joint.members(), states.nodes(state -> goesBy(state, joint)));
  }

  private static boolean goesBy(State state, Configuration configuration) {
    return state.isMember() && state.configuration().generation() == configuration.generation();
  }

  private void require(Answers<State> states, List<String> list, Predicate<State> isSo) {
    if (!Majority.isMajority(list, states.nodes(isSo))) {
      throw BackendException.unknown(
          "too few of " + list + " answer; the change is half done: repeat it", null);
    }
  }

  private Duration longestLease(Answers<State> states) {
    return states
        .values()
        .map(State::longestLease)
        .reduce(
            roster.settings().longestLease(),
            (one, other) -> one.compareTo(other) < 0 ? other : one);
  }

  private Answers<State> states() {
    return await(roster.<State>askAll(Node::state), PATIENCE);
  }

  private Configuration newest(Answers<State> states) {
    return states
        .values()
        .map(State::configuration)
        .max(Comparator.comparingLong(Configuration::generation))
        .orElse(Configuration.NONE);
  }

  private CompletableFuture<Boolean> pause(Duration time) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    roster.context().after(time, () -> over.complete(true));
    return over;
  }

  private static <T> T await(CompletableFuture<T> answer, Duration time) {
    try {
      return answer.get(time.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw BackendException.unknown("interrupted; repeat the change", interrupted);
    } catch (ExecutionException | TimeoutException failed) {
      throw BackendException.unknown("the nodes do not answer; repeat the change", failed);
    }
  }
}
