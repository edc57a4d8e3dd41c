// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import java.util.Map;

/**
 * Hears of what the nodes of a quorum do: the hook for metrics. Called on any thread, while a
 * request is under way: it must be quick, and must not block. What it throws is logged.
 */
public interface QuorumListener {

  /** A lock was put to the vote, once. */
  default void voted(Voted event) {}

  /** A node began or ceased to take part. */
  default void changed(Changed event) {}

  /**
   * A lock was put to the vote.
   *
   * @param name the lock's name
   * @param granted whether a majority granted it
   * @param rounds in how many rounds: 1, or 2 if the token had to be confirmed
   * @param nodes what became of the vote of each node, in words
   */
  record Voted(String name, boolean granted, int rounds, Map<String, String> nodes) {
    public Voted {
      nodes = Map.copyOf(nodes);
    }
  }

  /**
   * A node began or ceased to take part.
   *
   * @param node which
   * @param takesPart whether its votes count now
   * @param reason why, in words
   */
  record Changed(String node, boolean takesPart, String reason) {}
}
