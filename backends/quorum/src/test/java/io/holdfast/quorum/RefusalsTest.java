// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be a quorum is refused, in words that say what to do. */
@Tag("quorum")
class RefusalsTest {

  @Test
  void fewer_than_three_nodes_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt("quorum:redis://a,redis://b"))
        .withMessageContaining("at least 3 nodes");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt("quorum:"))
        .withMessageContaining("at least 3 nodes");
  }

  @Test
  void a_node_that_is_named_twice_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt("quorum:redis://a,redis://b,redis://a:6379"))
        .withMessageContaining("redis://a:6379 is named twice");
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-sentinel://s/mymaster", "redis-cluster://c", "memory:"})
  void a_store_that_is_not_one_independent_server_is_refused(String store) {
    String address = "quorum:redis://a,redis://b," + store.replace("memory:", "memory://m");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(address))
        .withMessageContaining("cannot be the node of a quorum");
  }

  @Test
  void an_unknown_parameter_or_value_is_refused() {
    String nodes = "quorum:redis://a,redis://b,redis://c";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(nodes + ",?longest=soon"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(nodes + ",?longets=30s"))
        .withMessageContaining("longets");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(nodes + ",?founding=at-once"))
        .withMessageContaining("founding");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt(nodes + "?longest=30s"))
        .withMessageContaining("redis store");
  }

  @Test
  void credentials_and_parameters_reach_each_node_and_are_never_printed() {
    String text = "quorum:redis://u:can,ary@a:1?timeout=2s,redis://:canary@b:2/3,rediss://c:3";
    Address address = Address.parse(text + ",?longest=30s");
    assertThat(address.parts()).hasSize(3);
    assertThat(address.parts().get(0).password()).contains("can,ary");
    assertThat(address.parts().get(0).parameter("timeout")).contains("2s");
    assertThat(address.parts().get(1).path()).isEqualTo("/3");
    assertThat(address.parameter("longest")).contains("30s");
    assertThat(address.toString())
        .isEqualTo("quorum:redis://a:1,redis://b:2/3,rediss://c:3")
        .doesNotContain("canary");
    assertThat(BackendProvider.backendAt(text).toString()).doesNotContain("ary");
  }

  @Test
  void a_default_lease_time_is_brought_into_the_range_and_one_that_was_set_is_refused() {
    try (RedisNodes nodes = new RedisNodes(3)) {
      nodes.found("longest=4s");
      String address = nodes.address("longest=4s");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Holdfast.builder(address).leaseTime(Duration.ofSeconds(30)).build())
          .withMessageContaining("lease time must be between")
          .withMessageContaining("and PT4S")
          .withMessageContaining("PT30S (set by the builder's leaseTime)");
      try (Holdfast holdfast = Holdfast.connect(address)) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> holdfast.lock("x").withLeaseTime(Duration.ofSeconds(30)))
            .withMessageContaining("PT30S (set by withLeaseTime)");
      }
    }
  }

  @Test
  void one_server_behind_two_addresses_is_refused() {
    try (RedisServer one = RedisServer.start();
        RedisServer other = RedisServer.start();
        FaultyProxy disguise = new FaultyProxy(one.port())) {
      RedisNodes.awaitRefusal(
          "quorum:redis://%s,redis://%s,redis://%s"
              .formatted(one.hostAndPort(), other.hostAndPort(), disguise.hostAndPort()),
          "one and the same server");
    }
  }

  @Test
  void a_replica_is_refused() {
    try (RedisServer one = RedisServer.start();
        RedisServer other = RedisServer.start();
        RedisServer replica =
            RedisServer.start("--replicaof", "127.0.0.1 " + one.port(), "--repl-timeout", "10")) {
      Eventually.until(
          "it is a replica",
          () -> replica.call("INFO", "replication").toString().contains("slave"));
      RedisNodes.awaitRefusal(
          "quorum:redis://%s,redis://%s,redis://%s"
              .formatted(one.hostAndPort(), other.hostAndPort(), replica.hostAndPort()),
          "is a replica");
    }
  }

  @Test
  void new_nodes_are_no_quorum_while_one_of_them_is_silent() {
    try (RedisNodes nodes = new RedisNodes(3)) {
      nodes.server(2).kill();
      assertThatThrownBy(() -> Holdfast.connect(nodes.address("longest=60s")).close())
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("when all nodes answer")
          .hasMessageContaining(nodes.network(2).hostAndPort());
    }
  }

  @Test
  void a_quorum_is_founded_once() {
    try (RedisNodes nodes = new RedisNodes(3)) {
      nodes.found("longest=60s");
      try (Holdfast holdfast = Holdfast.connect(nodes.address("longest=60s"))) {
        assertThat(holdfast.lock("early").tryAcquire()).isPresent();
      }
      assertThatThrownBy(() -> nodes.found("longest=60s"))
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("founded once");
    }
  }

  @Test
  void nodes_that_have_all_lost_their_data_rest_though_they_were_founded_at_once() {
    try (RedisNodes nodes = new RedisNodes(3)) {
      nodes.found("longest=60s");
      String address = nodes.address("longest=60s");
      try (Holdfast holdfast = Holdfast.connect(address);
          Holdfast other = Holdfast.connect(address)) {
        assertThat(holdfast.lock("held").tryAcquire()).isPresent();
        for (int node = 0; node < nodes.size(); node++) {
          nodes.server(node).call("FLUSHALL");
        }
        nodes.awaitMembers();
        Eventually.until("it is refused", () -> rests(other));
      }
    }
  }

  private static boolean rests(Holdfast holdfast) {
    try {
      assertThat(holdfast.lock("held").tryAcquire()).isEmpty();
      return false;
    } catch (BackendException refused) {
      return String.valueOf(refused.getMessage()).contains("rests for another");
    }
  }

  @Test
  void new_nodes_rest_before_the_first_grant_unless_they_are_known_to_be_new() {
    try (RedisNodes nodes = new RedisNodes(3);
        Holdfast holdfast = Holdfast.connect(nodes.address("longest=60s"))) {
      assertThatThrownBy(() -> holdfast.lock("early").tryAcquire())
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("rests for another");
      assertThat(List.of(holdfast.guarantees().survives()))
          .allMatch(text -> text.contains("rest") || text.contains("gives no votes"));
    }
  }
}
