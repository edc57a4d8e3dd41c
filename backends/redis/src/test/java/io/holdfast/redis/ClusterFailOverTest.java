// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.SettableClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * After a fail-over of a cluster a client renews what it holds there as soon as it knows of the new
 * primary, which any request may tell it: long before a third of these leases has passed.
 */
@Tag("redis")
class ClusterFailOverTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Clients clients = new Clients();

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void a_lease_that_the_new_primary_does_not_know_is_lost_at_once() throws Exception {
    try (RedisCluster cluster = RedisCluster.thatIsPatient()) {
      Holdfast one = clients.openAt(cluster.address(), LEASE);
      Lease lease = one.lock("n").acquire(LONG);
      cluster.primaryOf(Slots.of("lock:n")).call("DEL", "lock:n"); // As if it had been lost.
      failOver(cluster, "n");
      assertThat(one.lock(neighbour(cluster, "n")).acquire(LONG).release()).isTrue();
      assertThat(lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(LossCause.GONE);
    }
  }

  @Test
  void a_lease_that_the_new_primary_knows_is_renewed_there_at_once() throws Exception {
    try (RedisCluster cluster = RedisCluster.thatIsPatient()) {
      Holdfast one = clients.openAt(cluster.address(), LEASE);
      Lease lease = one.lock("n").acquire(LONG);
      // Before the client can know of the new primary, and renew it there.
      String brief = Long.toString(LONG.toMillis());
      cluster.primaryOf(Slots.of("lock:n")).call("PEXPIRE", "lock:n", brief);
      RedisServer next = failOver(cluster, "n");
      assertThat(one.lock(neighbour(cluster, "n")).acquire(LONG).release()).isTrue();
      Eventually.until("it is renewed", () -> (Long) next.call("PTTL", "lock:n") > LONG.toMillis());
      assertThat(lease.release()).isTrue();
    }
  }

  @Test
  void by_how_much_the_clock_of_the_new_primary_is_ahead_is_taken_off() throws Exception {
    try (SettableClock clock = SettableClock.find();
        RedisCluster cluster = RedisCluster.withReplicasThatGoBy(clock)) {
      clock.set(Duration.ofMinutes(4));
      String address = cluster.address().replace("//", "//limited:p@");
      for (RedisServer server : cluster.servers()) {
        server.call("ACL", "SETUSER", "limited", "on", ">p", "~*", "&*", "+@all");
      }
      Holdfast one = clients.openAt(address, LEASE);
      Lease lease = one.lock("n").acquire(LONG);
      RedisServer next = failOver(cluster, "n");
      next.call("ACL", "SETUSER", "limited", "-evalsha", "-eval"); // It renews nothing.
      var unused = one.lock(neighbour(cluster, "n")).async().acquire(LONG);
      Eventually.until(
          "it ends earlier", () -> lease.remaining().compareTo(Duration.ofMinutes(6)) < 0);
    }
  }

  /** Makes the replica of the lock's server the primary, when it has all that there is. */
  private static RedisServer failOver(RedisCluster cluster, String name) {
    RedisServer old = cluster.primaryOf(Slots.of("lock:" + name));
    RedisServer next = cluster.replicaOf(old);
    Eventually.until("it is replicated", () -> old.call("WAIT", "1", "1000").equals(1L));
    RedisCluster.takeOver(next);
    Eventually.until("the old one knows", () -> old.call("ROLE").toString().contains("slave"));
    return next;
  }

  /** Another lock of the same server. */
  private static String neighbour(RedisCluster cluster, String name) {
    RedisServer server = cluster.primaryOf(Slots.of("lock:" + name));
    return IntStream.range(0, 1000)
        .mapToObj(i -> "other" + i)
        .filter(other -> cluster.primaryOf(Slots.of("lock:" + other)) == server)
        .findFirst()
        .orElseThrow();
  }
}
