// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client finds the servers of a cluster, and finds them again when they change. */
@Tag("redis")
class ClusterTopologyTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @Test
  void a_slot_that_has_moved_is_found_where_servers_do_not_tell_their_hosts() throws Exception {
    String[] options = {"--cluster-preferred-endpoint-type", "unknown-endpoint"};
    try (RedisCluster cluster = new RedisCluster(RedisServer.binary(), options);
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
      one.lock("other").acquire(LONG).release();
      int slot = Slots.of("lock:moved");
      RedisServer from = cluster.primaryOf(slot);
      SlotMigration migration = new SlotMigration(cluster.primaries(), slot, from);
      migration.begin();
      migration.finish();
      Lease lease = one.lock("moved").acquire(Duration.ofSeconds(60));
      assertThat(lease.release()).isTrue();
    }
  }

  @Test
  void of_the_nodes_of_an_address_the_one_that_knows_the_newest_epoch_is_believed()
      throws Exception {
    try (RedisCluster cluster = new RedisCluster();
        RedisServer former = RedisServer.start("--cluster-enabled", "yes");
        Clients clients = new Clients()) {
      former.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383"); // It left, and kept its map.
      cluster.primaries().get(0).call("CLUSTER", "BUMPEPOCH");
      String address = "redis-cluster://" + former.hostAndPort() + ",";
      Holdfast one =
          clients.openAt(
              cluster.address().replace("redis-cluster://", address), Duration.ofMinutes(1));
      for (String name : List.of("a", "b", "c", "d")) {
        Lease lease = one.lock(name).acquire(LONG);
        RedisServer primary = cluster.primaryOf(Slots.of("lock:" + name));
        assertThat(primary.call("EXISTS", "lock:" + name)).isEqualTo(1L);
        assertThat(lease.release()).isTrue();
      }
      assertThat(former.call("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void requests_at_a_server_that_left_the_cluster_are_repeated_until_its_slots_have_another()
      throws Exception {
    try (RedisCluster cluster = RedisCluster.thatIsPatient();
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
      RedisServer leaving = cluster.primaryOf(Slots.of("lock:a"));
      String slot = Integer.toString(Slots.of("lock:a"));
      one.lock("a").acquire(LONG).release();
      leaving.call("DEL", "{lock:a}:fence");
      // First at the one that has them: others would believe its claim again.
      removeSlots(leaving, cluster.slotsOf(leaving));
      cluster.servers().stream()
          .filter(server -> server != leaving)
          .forEach(server -> removeSlots(server, cluster.slotsOf(leaving)));
      // Each is released as it comes: either of the two may be the first.
      CompletableFuture<Boolean> early =
          one.lock("a").async().acquire(LONG).thenApply(Lease::release);
      Eventually.until(
          "the client has left it",
          () ->
              !leaving.call("CLIENT", "LIST").toString().contains("cmd=evalsha")
                  && !leaving.call("PUBSUB", "CHANNELS").toString().contains(Keys.CHANNEL));
      CompletableFuture<Boolean> late =
          one.lock("a").shared().async().acquire(LONG).thenApply(Lease::release);
      RedisServer taking =
          cluster.primaries().stream()
              .filter(server -> server != leaving)
              .findFirst()
              .orElseThrow();
      taking.call("CLUSTER", "BUMPEPOCH"); // So that its claim counts with all others.
      taking.call("CLUSTER", "ADDSLOTS", slot);
      assertThat(early.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(late.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void however_many_requests_fail_the_map_of_slots_is_read_once_a_second() {
    try (RedisCluster cluster = RedisCluster.thatIsPatient();
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), Duration.ofMinutes(1));
      String slot = Integer.toString(Slots.of("lock:a"));
      cluster.servers().forEach(server -> server.call("CLUSTER", "DELSLOTS", slot));
      long before = readings(cluster);
      long sinceNanos = System.nanoTime();
      for (int i = 0; i < 300; i++) {
        assertThatThrownBy(() -> one.lock("a").tryAcquire()).hasMessageContaining("CLUSTERDOWN");
      }
      long seconds = Duration.ofNanos(System.nanoTime() - sinceNanos).toSeconds();
      assertThat(readings(cluster) - before).isBetween(1L, seconds + 2);
    }
  }

  /** How often the node that was asked most often was asked for the map. */
  private static long readings(RedisCluster cluster) {
    return cluster.servers().stream()
        .mapToLong(server -> Clients.calls(server).getOrDefault("cluster|slots", 0L))
        .max()
        .orElseThrow();
  }

  private static void removeSlots(RedisServer server, String[] range) {
    server.call("CLUSTER", "DELSLOTSRANGE", range[0], range[1]);
  }
}
