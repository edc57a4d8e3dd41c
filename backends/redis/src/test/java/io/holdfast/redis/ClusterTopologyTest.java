// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client finds the servers of a cluster, and finds them again when they change. */
@Tag("redis")
class ClusterTopologyTest {
  private static final int OPENINGS = 20;
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
      String all =
          cluster
              .address()
              .replace("redis-cluster://", "redis-cluster://" + former.hostAndPort() + ",");
      // Each time another node may be the first to answer.
      for (int i = 0; i < OPENINGS; i++) {
        String name = "n" + i;
        Holdfast one = clients.openAt(all, Duration.ofMinutes(1));
        Lease lease = one.lock(name).acquire(LONG);
        RedisServer primary = cluster.primaryOf(Slots.of("lock:" + name));
        assertThat(primary.call("EXISTS", "lock:" + name)).isEqualTo(1L);
        assertThat(lease.release()).isTrue();
        one.close();
      }
      assertThat(former.call("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void a_node_that_left_and_answers_first_is_not_believed_again() throws Exception {
    try (RedisCluster cluster = new RedisCluster();
        RedisServer former = RedisServer.start("--cluster-enabled", "yes");
        Clients clients = new Clients()) {
      former.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383"); // It left, and kept its map.
      cluster.primaries().get(0).call("CLUSTER", "BUMPEPOCH");
      List<FaultyProxy> proxies = cluster.putProxies();
      String places =
          proxies.stream().map(FaultyProxy::hostAndPort).collect(Collectors.joining(","));
      Holdfast one =
          clients.openAt(
              "redis-cluster://" + former.hostAndPort() + "," + places + "?timeout=2s",
              Duration.ofMinutes(1));
      int slot = Slots.of("lock:a");
      SlotMigration migration =
          new SlotMigration(cluster.primaries(), slot, cluster.primaryOf(slot));
      migration.begin();
      migration.finish();
      long before = mapsReadAt(former);
      proxies.forEach(proxy -> proxy.holdRequestsWith("CLUSTER"));
      one.lock("a").acquire(LONG).release(); // It is elsewhere: so the map is read again.
      Eventually.until("the node that left has answered", () -> mapsReadAt(former) > before);
      for (int i = 0; i < 200; i++) {
        askOnce(one, "n" + i);
      }
      assertThat(former.call("DBSIZE")).isEqualTo(0L);
      proxies.forEach(FaultyProxy::heal);
      assertThat(one.lock("a").acquire(LONG).release()).isTrue();
      proxies.forEach(FaultyProxy::close);
    }
  }

  private static void askOnce(Holdfast holdfast, String name) {
    try {
      holdfast.lock(name).tryAcquire().ifPresent(Lease::release);
    } catch (BackendException broken) {
      assertThat(broken.isTransient()).isTrue();
    }
  }

  private static long mapsReadAt(RedisServer server) {
    return Clients.calls(server).getOrDefault("cluster|slots", 0L);
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
        // That the slot is down, or on a busy machine that there is no answer.
        assertThatThrownBy(() -> one.lock("a").tryAcquire())
            .isInstanceOfSatisfying(
                BackendException.class, failed -> assertThat(failed.isTransient()).isTrue());
      }
      Eventually.until("the map is read again", () -> readings(cluster) > before);
      long read = readings(cluster) - before;
      long seconds = Duration.ofNanos(System.nanoTime() - sinceNanos).toSeconds();
      assertThat(read).isLessThanOrEqualTo(seconds + 2);
    }
  }

  /** How often the node that was asked most often was asked for the map. */
  private static long readings(RedisCluster cluster) {
    return cluster.servers().stream()
        .mapToLong(ClusterTopologyTest::mapsReadAt)
        .max()
        .orElseThrow();
  }

  private static void removeSlots(RedisServer server, String[] range) {
    server.call("CLUSTER", "DELSLOTSRANGE", range[0], range[1]);
  }
}
