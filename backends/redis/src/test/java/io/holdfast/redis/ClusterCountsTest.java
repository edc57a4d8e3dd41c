// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Renewal in a cluster, where a script may touch one slot only. While the network holds back all
 * replies, whatever a client sends it sends without waiting for any.
 */
@Tag("redis")
class ClusterCountsTest {
  private static RedisCluster cluster;
  private static List<FaultyProxy> proxies;

  @BeforeAll
  static void start() {
    cluster = new RedisCluster();
    proxies = cluster.putProxies();
  }

  @AfterAll
  static void stop() {
    proxies.forEach(FaultyProxy::close);
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 100_000})
  void all_leases_of_all_slots_are_renewed_with_one_wait_for_a_reply_at_each_server(int count)
      throws Exception {
    try (BareClient client = new BareClient(cluster.address().replace("2s", "4s"))) {
      List<Hold> holds = client.take(count + "/", count, Duration.ofMinutes(10));
      Map<Object, List<Hold>> lanes =
          holds.stream().collect(Collectors.groupingBy(hold -> client.backend().lane(hold.name())));
      long slots = holds.stream().map(hold -> Slots.of("lock:" + hold.name())).distinct().count();
      assertThat(lanes).hasSize(3);
      renew(client, lanes); // From now on every server knows the script.
      long before = scripts();
      proxies.forEach(FaultyProxy::holdReplies);
      List<CompletableFuture<List<Renewal>>> asked = new ArrayList<>();
      try {
        lanes.values().forEach(lane -> asked.add(ask(client, lane)));
        Eventually.until("all is sent", () -> scripts() - before >= slots);
      } finally {
        proxies.forEach(FaultyProxy::heal);
      }
      // On a slow machine some may have timed out, but they were sent.
      Eventually.until("all is answered", () -> asked.stream().allMatch(CompletableFuture::isDone));
      assertThat(scripts() - before).isEqualTo(slots);
      System.out.printf("%d leases in %d slots: %d commands%n", count, slots, slots);
      cluster.primaries().forEach(primary -> primary.call("FLUSHALL"));
    }
  }

  private static void renew(BareClient client, Map<Object, List<Hold>> lanes) throws Exception {
    for (List<Hold> lane : lanes.values()) {
      assertThat(ask(client, lane).get(30, TimeUnit.SECONDS)).containsOnly(Renewal.RENEWED);
    }
  }

  private static CompletableFuture<List<Renewal>> ask(BareClient client, List<Hold> lane) {
    return client.backend().renew(lane).toCompletableFuture();
  }

  private static long scripts() {
    return cluster.primaries().stream().mapToLong(ClusterCountsTest::scripts).sum();
  }

  private static long scripts(RedisServer server) {
    return Clients.scripts(server);
  }
}
