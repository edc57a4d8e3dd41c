// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An old primary that goes on after a fail-over, which no sentinel can make a replica: clients
 * leave it because the sentinels name another, not because it refuses them.
 */
@Tag("redis")
class SwitchedPrimaryTest {
  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final SentinelGroup group = new SentinelGroup();
  private final Clients clients = new Clients();

  @AfterEach
  void close() {
    clients.close();
    group.close();
  }

  /** How many connections for messages of our clients it has. */
  private static int listeners(RedisServer server) {
    return ((List<?>) server.call("PUBSUB", "CHANNELS", "hf:client:*")).size();
  }

  private void awaitMove(RedisServer old, int clients) {
    Eventually.until(
        "all are at the new primary",
        () -> listeners(old) == 0 && listeners(group.primary()) == clients);
  }

  @Test
  void a_lease_that_was_replicated_goes_on_at_the_new_primary() throws Exception {
    RedisServer old = group.keepPrimary();
    Holdfast one = clients.openAt(group.address(), LEASE);
    Lease lease = one.lock("n").acquire(LONG);
    assertThat(old.call("WAIT", "2", "30000")).isEqualTo(2L);
    group.failOver();
    awaitMove(old, 1);
    Eventually.until("it is renewed there", () -> Clients.scripts(group.primary()) > 0);
    long scripts = Clients.scripts(old);
    lease.renew();
    assertThat(one.lock("m").acquire(LONG).release()).isTrue();
    assertThat(lease.isHeld()).isTrue();
    assertThat(group.primary().call("GET", "lock:n")).isEqualTo(lease.holder().toString());
    assertThat(lease.release()).isTrue();
    assertThat(Clients.scripts(old)).isEqualTo(scripts);
    assertThat(old.call("ROLE").toString()).contains("master");
  }

  @Test
  void a_lease_that_was_not_replicated_is_lost_long_before_its_next_renewal() throws Exception {
    RedisServer old = group.keepPrimary();
    Holdfast one = clients.openAt(group.address(), LEASE);
    group.stopReplication();
    Lease lease = one.lock("n").acquire(LONG);
    group.failOver();
    assertThat(lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isIn(LossCause.GONE, LossCause.TAKEN);
    assertThat(lease.isHeld()).isFalse();
    Lease next = clients.openAt(group.address(), LEASE).lock("n").acquire(LONG);
    assertThat(next.token().isNewerThan(lease.token())).isTrue();
    assertThat(old.call("GET", "lock:n")).isEqualTo(lease.holder().toString());
  }

  @Test
  void grants_that_a_replica_must_acknowledge_are_made_by_the_new_primary() throws Exception {
    RedisServer old = group.keepPrimary();
    Holdfast one = clients.openAt(group.address() + "&replicas=1", LEASE);
    one.lock("n").acquire(LONG).release();
    group.failOver();
    awaitMove(old, 1);
    Lease lease = one.lock("n").acquire(LONG);
    assertThat(group.primary().call("GET", "lock:n")).isEqualTo(lease.holder().toString());
    assertThat(old.call("EXISTS", "lock:n")).isEqualTo(0L);
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_waiter_is_served_by_the_new_primary() throws Exception {
    RedisServer old = group.keepPrimary();
    Holdfast one = clients.openAt(group.address(), LEASE);
    Holdfast other = clients.openAt(group.address(), LEASE);
    Lease held = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
    Clients.awaitWaiters(one, "n", 1);
    assertThat(old.call("WAIT", "2", "30000")).isEqualTo(2L);
    group.failOver();
    awaitMove(old, 2);
    assertThat(held.release()).isTrue();
    Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
    assertThat(next.token().isNewerThan(held.token())).isTrue();
  }
}
