// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A network delivers the withdrawal of a failed attempt after the votes of the next attempt. */
@Tag("quorum")
class LateWithdrawalTest {
  private static final Path SCRIPTS =
      Path.of("..", "redis", "src", "main", "resources", "io", "holdfast", "redis", "node");
  private static final String FOREIGN = "another-1";

  @Test
  void a_late_withdrawal_leaves_the_vote_of_a_later_attempt_alone() throws Exception {
    try (RedisNodes nodes = founded();
        Holdfast holdfast = open(nodes);
        Holdfast other = open(nodes)) {
      RedisServer first = nodes.server(0);
      nodes.network(0).holdRequestsWith(digest(first, "withdraw.lua"));
      // Two of three votes are another's: the first attempt has one vote, and takes it back.
      holdByAnother(nodes, 1);
      holdByAnother(nodes, 2);
      CompletableFuture<Optional<Lease>> waiter =
          holdfast.lock("wanted").async().tryAcquire(Duration.ofMinutes(2));
      Eventually.until("it was voted for", () -> !vote(first).equals(RedisWire.NIL));
      nodes.server(1).call("DEL", "lock:wanted");
      // The held request stops its connection; the next attempt comes by another one.
      Lease lease = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
      assertThat(vote(first)).isEqualTo(lease.holder().toString());

      nodes.network(0).heal();
      awaitQuiet(first);
      nodes.server(2).call("DEL", "lock:wanted");
      assertThat(vote(first)).isEqualTo(lease.holder().toString());
      assertThat(other.lock("wanted").tryAcquire()).isEmpty();
      assertThat(lease.release()).isTrue();
    }
  }

  private static RedisNodes founded() {
    RedisNodes nodes = new RedisNodes(3);
    nodes.found("longest=60s");
    return nodes;
  }

  private static Holdfast open(RedisNodes nodes) {
    return Holdfast.builder(QuorumBackend.builder(nodes.stores()).build())
        .leaseTime(Duration.ofSeconds(60))
        .build();
  }

  private static void holdByAnother(RedisNodes nodes, int node) {
    nodes.server(node).call("SET", "lock:wanted", FOREIGN, "PX", "600000");
  }

  private static Object vote(RedisServer server) {
    return server.call("GET", "lock:wanted");
  }

  /** What the proxy held back has arrived, and been carried out. */
  private static void awaitQuiet(RedisServer server) {
    Eventually.until(
        "the node is quiet",
        () -> {
          long before = withdrawals(server);
          Eventually.pass(Duration.ofMillis(300));
          return withdrawals(server) == before;
        });
  }

  private static long withdrawals(RedisServer server) {
    return RedisNodes.calls(server).getOrDefault("evalsha", 0L);
  }

  /** Of a script as the client sends it. */
  private static String digest(RedisServer server, String script) throws IOException {
    String source =
        Files.readString(SCRIPTS.resolve("prologue.lua"))
            + Files.readString(SCRIPTS.resolve(script));
    return server.call("SCRIPT", "LOAD", source).toString();
  }
}
