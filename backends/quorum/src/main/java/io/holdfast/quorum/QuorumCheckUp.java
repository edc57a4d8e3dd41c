// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Finding;
import io.holdfast.spi.Finding.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What an operator should know of a quorum: how many take part, and what is wrong with a node. */
final class QuorumCheckUp {
  private QuorumCheckUp() {}

  static CompletableFuture<List<Finding>> of(Roster roster) {
    return roster
        .<List<Finding>>askAll(node -> node.store().checkUp())
        .thenApply(
            answers -> {
              List<Finding> findings = new ArrayList<>();
              findings.add(majority(roster, answers));
              answers.all().forEach(answer -> findings.addAll(ofNode(answer)));
              return findings;
            });
  }

  private static Finding majority(Roster roster, Answers<List<Finding>> answers) {
    int all = roster.configuration().members().size();
    List<Node> nodes =
        answers.all().stream()
            .filter(QuorumCheckUp::takesPart)
            .map(Answers.Answer::node)
            .filter(roster.majority()::includes)
            .toList();
    int present = nodes.size();
    String needed = roster.majority().words();
    String seen = present + " of " + all + " nodes take part, " + needed + " are needed";
    if (!roster.majority().of(nodes)) {
      return Finding.bad("majority", seen, "nothing is granted until more nodes take part");
    }
    return present < all
        ? Finding.caution(
            "majority", seen, "the loss of " + (present - all / 2) + " more ends all locks")
        : Finding.good("majority", seen);
  }

  private static boolean takesPart(Answers.Answer<List<Finding>> answer) {
    return answer.value().isPresent() && answer.node().standing() == Standing.TAKES_PART;
  }

  /** One line for a node that is well, and one for all that is not. */
  private static List<Finding> ofNode(Answers.Answer<List<Finding>> answer) {
    String node = answer.node().toString();
    if (answer.value().isEmpty()) {
      return List.of(
          Finding.caution(
              "node",
              node + ": " + answer.describe(found -> ""),
              "start it, or look at its network"));
    }
    List<Finding> findings = new ArrayList<>();
    String seen = node + " " + answer.node().standing().words();
    findings.add(
        takesPart(answer)
            ? Finding.good("node", seen)
            : Finding.caution("node", seen, advice(answer.node().standing())));
    for (Finding finding : answer.value().get()) {
      if (finding.verdict() != Verdict.GOOD) {
        findings.add(
            new Finding(
                finding.subject(),
                finding.verdict(),
                node + ": " + finding.seen(),
                finding.advice()));
      }
    }
    return findings;
  }

  private static String advice(Standing standing) {
    return standing == Standing.NOT_A_MEMBER
        ? "use an address that names the members; 'holdfast members' makes a node one of them"
        : "it joins again by itself, if a majority is up";
  }
}
