// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.Finding;
import io.holdfast.spi.Finding.Verdict;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.servers.Eventually;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a check-up tells of nodes that are well, down, and not to be relied on. */
@Tag("quorum")
class CheckUpTest {
  private RedisNodes nodes;
  private LockBackend backend;
  private Holdfast holdfast;

  @BeforeEach
  void start() {
    nodes = new RedisNodes(3);
    nodes.found("longest=60s");
    backend = BackendProvider.backendAt(nodes.address("longest=60s"));
    holdfast = Holdfast.builder(backend).build();
    Eventually.until("all take part", () -> verdict("3 of 3 nodes take part") == Verdict.GOOD);
  }

  @AfterEach
  void stop() {
    holdfast.close();
    nodes.close();
  }

  private List<Finding> findings() {
    return backend.checkUp().toCompletableFuture().join();
  }

  /** Of the finding that says so; null if there is none. */
  private @Nullable Verdict verdict(String seen) {
    return findings().stream()
        .filter(finding -> finding.seen().contains(seen))
        .map(Finding::verdict)
        .findFirst()
        .orElse(null);
  }

  private static boolean says(List<Finding> findings, String text) {
    return findings.stream().anyMatch(finding -> finding.seen().contains(text));
  }

  private String name(int node) {
    return "redis://" + nodes.network(node).hostAndPort();
  }

  @Test
  void nodes_that_are_well_are_named() {
    List<String> named = new ArrayList<>(List.of("3 of 3 nodes take part"));
    List.of(0, 1, 2).forEach(node -> named.add(name(node) + " takes part"));
    // A busy machine may answer too late for one look, and then that is said.
    Eventually.until(
        "all are well",
        () -> {
          List<Finding> findings = findings();
          return findings.stream().allMatch(finding -> finding.verdict() == Verdict.GOOD)
              && findings.size() == named.size()
              && named.stream().allMatch(text -> says(findings, text));
        });
  }

  @Test
  void what_is_wrong_with_a_node_is_said_with_its_name() {
    nodes.server(0).kill();
    nodes.server(1).call("CONFIG", "SET", "maxmemory", "1mb");
    Eventually.until("it is missed", () -> verdict("2 of 3 nodes take part") == Verdict.CAUTION);
    assertThat(verdict(name(0) + ": ")).isEqualTo(Verdict.CAUTION);
    assertThat(verdict(name(1) + ": ")).isEqualTo(Verdict.CAUTION);
  }

  @Test
  void a_node_that_lost_its_data_does_not_count() {
    nodes.server(0).call("FLUSHALL");
    Eventually.until("it rests", () -> verdict(name(0) + " gives no votes") == Verdict.CAUTION);
    nodes.server(1).kill();
    Eventually.until("too few are left", () -> verdict("1 of 3 nodes") == Verdict.BAD);
  }

  @Test
  void a_node_that_is_not_a_member_is_not_said_to_join_by_itself() {
    try (RedisNodes stranger = new RedisNodes(1)) {
      String other = "redis://" + stranger.network(0).hostAndPort();
      String wide = nodes.address("longest=60s").replace(",?", "," + other + ",?");
      LockBackend client = BackendProvider.backendAt(wide);
      try (Holdfast holdfast = Holdfast.builder(client).build()) {
        assertThat(holdfast.guarantees()).isNotNull();
        Eventually.until(
            "the advice is to change the address or the members",
            () ->
                client.checkUp().toCompletableFuture().join().stream()
                    .filter(finding -> finding.seen().contains(other + " is not a member"))
                    .anyMatch(finding -> finding.advice().contains("holdfast members")));
      }
    }
  }
}
