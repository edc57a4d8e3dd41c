// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An address that leads to a replica for a while, as a name that is looked up anew may. */
@Tag("redis")
class MisledConnectionTest {

  @Test
  void messages_of_a_replica_are_not_listened_to_and_the_other_connections_stay() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", primary.port() + "");
        RedisWire atReplica = replica.connect();
        FaultyProxy proxy = new FaultyProxy(primary.port());
        Clients clients = new Clients()) {
      Holdfast one = clients.open(proxy.hostAndPort(), Duration.ofMinutes(5));
      assertThat(one.lock("n").tryAcquire().orElseThrow().release()).isTrue();
      proxy.leadTo(replica.port());
      long before = connections(atReplica);
      primary.call("CLIENT", "KILL", "TYPE", "pubsub");
      Eventually.until("it has found the replica", () -> connections(atReplica) > before + 2);
      assertThat(one.lock("n").tryAcquire().orElseThrow().release()).isTrue();
      assertThat(replica.call("PUBSUB", "CHANNELS").toString()).doesNotContain(Keys.CHANNEL);
      proxy.leadTo(primary.port());
      Eventually.until(
          "it listens again",
          () -> primary.call("PUBSUB", "CHANNELS").toString().contains(Keys.CHANNEL));
    }
  }

  private static long connections(RedisWire server) {
    String info = server.call("INFO", "stats").toString();
    return Long.parseLong(info.replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
  }
}
