// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.redis.Eventually;
import io.holdfast.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With replicas to wait for, a grant and a renewal count when those have acknowledged them. */
@Tag("redis")
class ReplicasTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(1);

  private RedisServer primary;
  private RedisServer replica;
  private Clients clients;
  private Holdfast holdfast;

  @BeforeEach
  void start() {
    primary = RedisServer.start();
    replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
    Eventually.until("the replica follows", () -> SentinelGroup.replicas(primary) == 1);
    clients = new Clients();
    holdfast = open();
  }

  private Holdfast open() {
    return clients.openAt("redis://" + primary.hostAndPort() + "?timeout=2s&replicas=1", LEASE);
  }

  @AfterEach
  void stop() {
    replica.resume();
    clients.close();
    replica.close();
    primary.close();
  }

  @Test
  void a_grant_that_the_replica_has_acknowledged_counts() throws Exception {
    Lease lease = holdfast.lock("n").acquire(LONG);
    assertThat(replica.call("GET", "lock:n")).isEqualTo(lease.holder().toString());
    Eventually.pass(LEASE.multipliedBy(2));
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_grant_that_no_replica_acknowledges_is_given_back() {
    replica.pause();
    assertNotApplied();
    replica.resume();
  }

  @Test
  void without_a_replica_nothing_is_granted() {
    replica.kill();
    Eventually.until("the replica is gone", () -> SentinelGroup.replicas(primary) == 0);
    assertNotApplied();
    replica.restart();
  }

  private void assertNotApplied() {
    assertThatThrownBy(() -> holdfast.lock("n").tryAcquire())
        .isInstanceOfSatisfying(
            BackendException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED));
    assertThat(holdfast.inspect("n").isFree()).isTrue();
  }

  @Test
  void a_lease_whose_renewals_no_replica_acknowledges_is_lost() throws Exception {
    Lease lease = holdfast.lock("n").acquire(LONG);
    replica.pause();
    lease.loss().toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void a_lock_that_is_handed_over_counts_when_the_replica_has_acknowledged_it() throws Exception {
    Holdfast other = open();
    Lease held = holdfast.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
    Clients.awaitWaiters(holdfast, "n", 1);
    replica.pause();
    held.release();
    Eventually.pass(Duration.ofSeconds(3));
    assertThat(waiter.isDone()).isFalse();
    replica.resume();
    assertThat(waiter.get(60, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
  }

  @Test
  void requests_that_come_together_wait_together() throws Exception {
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    long before = Clients.calls(primary).getOrDefault("wait", 0L);
    for (int i = 0; i < 500; i++) {
      asked.add(holdfast.lock("many/" + i).async().tryAcquire(LONG));
    }
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isPresent();
    }
    assertThat(Clients.calls(primary).getOrDefault("wait", 0L) - before).isLessThan(250);
  }
}
