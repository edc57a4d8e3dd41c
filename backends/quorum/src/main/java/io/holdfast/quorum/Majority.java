// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.QuorumNode.Configuration;
import java.util.Collection;
import java.util.List;

/** Which nodes are enough, by one configuration: more than half of the members, of each list. */
record Majority(Configuration configuration) {

  /** Whether these nodes are a majority. */
  boolean of(Collection<Node> nodes) {
    return configuration.lists().stream().allMatch(list -> isMajority(list, nodes));
  }

  static boolean isMajority(List<String> list, Collection<Node> nodes) {
    return count(list, nodes) >= needed(list);
  }

  private static long count(List<String> list, Collection<Node> nodes) {
    return nodes.stream().map(Node::member).filter(list::contains).distinct().count();
  }

  private static int needed(List<String> list) {
    return list.size() / 2 + 1;
  }

  /** Whether the votes of a node count. */
  boolean includes(Node node) {
    return configuration.lists().stream().anyMatch(list -> list.contains(node.member()));
  }

  /** How many nodes are needed, in words: {@code 2}, or {@code 2 and 3} while they are changed. */
  String words() {
    return String.join(
        " and ",
        configuration.lists().stream().map(list -> Integer.toString(needed(list))).toList());
  }
}
