// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
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
  void requests_at_a_server_that_is_replaced_are_repeated_at_its_successor() throws Exception {
    try (RedisCluster cluster = new RedisCluster();
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), Duration.ofSeconds(30));
      RedisServer stopped = cluster.primaries().get(1);
      RedisServer successor = cluster.servers().get(4);
      stopped.pause();
      try {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        Eventually.until(
            "the replica has taken its place",
            () -> {
              String name = "replaced/" + asked.size();
              if (cluster.primaryOf(Slots.of("lock:" + name)) == stopped) {
                asked.add(one.lock(name).async().acquire(LONG));
              } else {
                asked.add(CompletableFuture.completedFuture(null));
              }
              return successor.call("ROLE").toString().startsWith("[master");
            });
        for (CompletableFuture<Lease> each : asked) {
          Lease lease = each.get(60, TimeUnit.SECONDS);
          assertThat(lease == null || lease.release()).isTrue();
        }
      } finally {
        stopped.resume();
      }
    }
  }
}
