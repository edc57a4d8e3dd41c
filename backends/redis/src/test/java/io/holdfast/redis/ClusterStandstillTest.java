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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The servers of a cluster do not share a fate. */
@Tag("redis")
class ClusterStandstillTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @Test
  void a_server_that_stands_still_costs_no_lease_on_the_others() throws Exception {
    Duration lease = Duration.ofSeconds(12);
    try (RedisCluster cluster = new RedisCluster();
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), lease);
      List<Lease> elsewhere = new ArrayList<>();
      RedisServer stopped = cluster.primaries().get(2);
      for (int i = 0; i < 300; i++) {
        Lease held = one.lock("lane/" + i).acquire(LONG);
        if (cluster.primaryOf(Slots.of("lock:lane/" + i)) != stopped) {
          elsewhere.add(held);
        }
      }
      stopped.pause();
      Eventually.pass(lease.multipliedBy(2));
      assertThat(elsewhere).hasSizeGreaterThan(100).allMatch(Lease::isHeld);
      stopped.resume();
    }
  }

  @Test
  void the_locks_of_a_server_that_stands_still_are_served_by_the_replica_that_takes_its_place()
      throws Exception {
    try (RedisCluster cluster = new RedisCluster();
        Clients clients = new Clients()) {
      Holdfast one = clients.openAt(cluster.address(), Duration.ofSeconds(15));
      Lease before = one.lock("n").acquire(LONG);
      before.release();
      RedisServer stopped = cluster.primaryOf(Slots.of("lock:n"));
      stopped.pause();
      try {
        Lease after = one.lock("n").acquire(LONG);
        assertThat(after.token().isNewerThan(before.token())).isTrue();
        assertThat(after.release()).isTrue();
      } finally {
        stopped.resume();
      }
    }
  }
}
