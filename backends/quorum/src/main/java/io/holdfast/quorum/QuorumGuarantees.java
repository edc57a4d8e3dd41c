// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import java.util.EnumSet;
import java.util.List;

/** What locks on a quorum promise: the same words as in {@code docs/guarantees.md}. */
final class QuorumGuarantees {
  private static final String ONE_HOLDER_IF =
      "never more than a minority of the nodes at a time forgets votes before their time: by losing"
          + " data, or by a clock that is set forward by more than the drift that is taken off a"
          + " lease";
  private static final String TWO_HOLDERS_WHEN =
      "more nodes do than a majority can spare: clocks are set forward on them, or keys are deleted"
          + " by hand; a node that lost its data, or whose clock was seen to be set, gives no"
          + " votes until every lease that it may have forgotten is over";
  private static final String TOKEN_NEVER_GOES_BACK_IF =
      "a majority of the nodes keep their data, or have joined again, at any time, whatever the"
          + " clocks do; if not, then if no clock of a client is behind the last token";

  private QuorumGuarantees() {}

  static Guarantees of(QuorumSettings settings, List<Node> nodes) {
    return new Guarantees(
        "quorum",
        Exclusion.LEASED,
        ONE_HOLDER_IF,
        TWO_HOLDERS_WHEN,
        TOKEN_NEVER_GOES_BACK_IF,
        "the loss of any minority of the nodes with all their data, and of any client" + now(nodes),
        EnumSet.of(Capability.EXPIRY, Capability.PROMPT_FORCE, Capability.TOKENS_SURVIVE_RESTART),
        QuorumSettings.SHORTEST_LEASE,
        settings.longestLease());
  }

  /** What is amiss at present. */
  private static String now(List<Node> nodes) {
    List<String> absent =
        nodes.stream()
            .filter(node -> node.standing() != Standing.TAKES_PART)
            .map(node -> node + " " + node.standing().words())
            .toList();
    return absent.isEmpty()
        ? ""
        : "; at present "
            + (nodes.size() - absent.size())
            + " of "
            + nodes.size()
            + " nodes take part: "
            + String.join(", ", absent);
  }
}
