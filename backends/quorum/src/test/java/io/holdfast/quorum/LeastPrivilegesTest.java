// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user of the nodes that may do what {@code schema} says, and nothing else. */
@Tag("quorum")
class LeastPrivilegesTest {
  private static final String PASSWORD = "least-privileges";

  @Test
  void what_schema_prints_is_enough_for_all_that_a_quorum_does() throws Exception {
    try (RedisNodes nodes = new RedisNodes(3)) {
      String address = nodes.addressFor("holdfast:" + PASSWORD);
      prepare(nodes, address);
      QuorumMembers.found(address);
      try (Holdfast holdfast = open(address);
          Holdfast other = open(address)) {
        Lease lease = holdfast.lock("held").acquire(Duration.ofSeconds(30));
        var waiter = other.lock("held").async().tryAcquire(Duration.ofMinutes(2));
        Eventually.untilRenewed(lease);
        assertThat(holdfast.list("he", 10)).hasSize(1);
        assertThat(holdfast.forceRelease("held", lease.token(), "a test")).isTrue();
        assertThat(waiter.get(60, TimeUnit.SECONDS).orElseThrow().release()).isTrue();
        assertThat(holdfast.inspect("held").notes()).isEmpty();
        RedisServer forgetful = nodes.server(0);
        forgetful.call("FLUSHALL");
        Eventually.until("it has joined again", () -> RedisNodes.isMember(forgetful));
      }
    }
  }

  /** As an administrator does. */
  private static void prepare(RedisNodes nodes, String address) {
    LockBackend backend = BackendProvider.backendAt(address);
    List<String> rules =
        backend.schema().lines().filter(line -> line.startsWith("ACL SETUSER")).toList();
    assertThat(rules).hasSize(1);
    for (int node = 0; node < nodes.size(); node++) {
      assertThat(backend.schema()).contains(nodes.network(node).hostAndPort());
      nodes.server(node).call(rules.get(0).replace("PASSWORD", PASSWORD).split(" "));
    }
  }

  private static Holdfast open(String address) {
    return Holdfast.builder(address).leaseTime(Duration.ofSeconds(10)).build();
  }
}
