// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.quorum.Answers.Answer;
import io.holdfast.spi.QuorumNode.Abstention;
import io.holdfast.spi.QuorumNode.Vote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Votes, counted.
 *
 * @param known the epoch of each node that we knew before we asked
 */
record Tally(Answers<Vote> votes, Map<Node, Long> known, Majority majority) {

  static Map<Node, Long> epochs(List<Node> nodes) {
    Map<Node, Long> known = new HashMap<>();
    nodes.forEach(node -> known.put(node, node.epoch()));
    return known;
  }

  /** The votes that we have and that count. */
  Map<Node, Vote.Granted> grants() {
    Map<Node, Vote.Granted> grants = new LinkedHashMap<>();
    for (Answer<Vote> answer : votes.all()) {
      if (answer.value().orElse(null) instanceof Vote.Granted granted && answer.node().counts()) {
        grants.put(answer.node(), granted);
      }
    }
    return grants;
  }

  boolean isWon() {
    return majority.of(grants().keySet());
  }

  /**
   * The number that a majority gave, each with the epoch that we knew. Then nobody needs to confirm
   * it: no node that lost its data can have read any of them between our question and its answer,
   * so whoever reads them later finds this number.
   */
  Optional<Long> agreed() {
    return agreeing().entrySet().stream()
        .filter(each -> majority.of(each.getValue()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private Map<Long, List<Node>> agreeing() {
    Map<Long, List<Node>> nodes = new HashMap<>();
    grants()
        .forEach(
            (node, granted) -> {
              if (granted.epoch() == known.getOrDefault(node, 0L)) {
                nodes.computeIfAbsent(granted.number(), unused -> new ArrayList<>()).add(node);
              }
            });
    return nodes;
  }

  /** Nothing that may yet come makes a difference. */
  boolean isDecided() {
    if (!isWon()) {
      return false;
    }
    if (agreed().isPresent()) {
      return true;
    }
    return agreeing().values().stream().noneMatch(this::mayBecomeMajority);
  }

  private boolean mayBecomeMajority(List<Node> agreeing) {
    List<Node> all = new ArrayList<>(agreeing);
    votes.all().stream()
        .filter(answer -> answer.isOpen() && !answer.node().isSilent())
        .forEach(answer -> all.add(answer.node()));
    return majority.of(all);
  }

  long highest() {
    return grants().values().stream().mapToLong(Vote.Granted::number).max().orElse(0);
  }

  /** Nodes that gave their vote, be it to us or to another. */
  List<Node> voting() {
    return votes.nodes(vote -> !(vote instanceof Vote.Abstained));
  }

  /** A node goes by another configuration than we do. */
  boolean hasOtherMembers() {
    return votes.values().anyMatch(vote -> abstained(vote, Abstention.OTHER_MEMBERS));
  }

  /** A node took the request for one that was given up. */
  boolean cameTooLate() {
    return votes.values().anyMatch(vote -> abstained(vote, Abstention.CAME_TOO_LATE));
  }

  private static boolean abstained(Vote vote, Abstention reason) {
    return vote instanceof Vote.Abstained abstained && abstained.reason() == reason;
  }

  /**
   * For how long another has a majority of all votes, or they are kept for another; absent if
   * nobody is known to have it.
   */
  Optional<Duration> heldFor() {
    Map<String, List<Node>> holders = new HashMap<>();
    Duration longest = Duration.ZERO;
    for (Answer<Vote> answer : votes.all()) {
      if (answer.value().orElse(null) instanceof Vote.Held held) {
        holders.computeIfAbsent(held.holder(), unused -> new ArrayList<>()).add(answer.node());
        longest = longest.compareTo(held.remaining()) < 0 ? held.remaining() : longest;
      }
    }
    boolean someone = holders.values().stream().anyMatch(majority::of);
    return someone ? Optional.of(longest) : Optional.empty();
  }

  static String words(Vote vote) {
    if (vote instanceof Vote.Granted) {
      return "granted";
    }
    if (vote instanceof Vote.Held held) {
      return held.holder().isEmpty() ? "kept for another" : "held by " + held.holder();
    }
    Vote.Abstained abstained = (Vote.Abstained) vote;
    return switch (abstained.reason()) {
      case RESTS -> "rests for another " + abstained.remaining().toMillis() + " ms";
      case LOST_ITS_DATA -> "lost its data and has not joined again";
      case OTHER_MEMBERS -> "goes by another configuration of members";
      case CAME_TOO_LATE -> "the request came too late";
    };
  }
}
