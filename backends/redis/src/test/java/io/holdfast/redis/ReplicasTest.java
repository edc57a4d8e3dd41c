// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With replicas to wait for, a grant and a renewal count when those have acknowledged them. */
@Tag("redis")
class ReplicasTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
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
    return open("1");
  }

  private Holdfast open(String replicas) {
    String address = "redis://" + primary.hostAndPort() + "?timeout=4s&replicas=" + replicas;
    return clients.openAt(address, LEASE);
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
    Eventually.untilRenewed(lease);
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_grant_that_no_replica_acknowledges_is_given_back() {
    replica.pause();
    assertNotApplied(holdfast);
    replica.resume();
  }

  @Test
  void without_a_replica_nothing_is_granted() {
    replica.kill();
    Eventually.until("the replica is gone", () -> SentinelGroup.replicas(primary) == 0);
    assertNotApplied(holdfast);
    assertNotApplied(open("all"));
    replica.restart();
  }

  @Test
  void all_replicas_are_as_many_as_are_connected_when_it_is_asked() throws Exception {
    Holdfast all = open("all");
    all.lock("n").acquire(LONG).release();
    try (RedisServer second =
        RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()))) {
      Eventually.until("both follow", () -> ServerInfo.parse(replication()).replicas() == 2);
      Lease lease = all.lock("n").acquire(LONG);
      assertThat(second.call("GET", "lock:n")).isEqualTo(lease.holder().toString());
      lease.release();
      second.pause();
      holdfast.lock("n").acquire(LONG).release();
      assertNotApplied(all);
    }
    Eventually.until("one follows", () -> SentinelGroup.replicas(primary) == 1);
    all.lock("n").acquire(LONG).release();
  }

  private String replication() {
    return primary.call("INFO", "replication").toString();
  }

  @Test
  void scripts_that_the_server_has_forgotten_are_sent_again() throws Exception {
    primary.call("SCRIPT", "FLUSH");
    Lease lease = holdfast.lock("n").acquire(LONG);
    assertThat(replica.call("GET", "lock:n")).isEqualTo(lease.holder().toString());
    primary.call("SCRIPT", "FLUSH");
    lease.renew();
    assertThat(lease.release()).isTrue();
  }

  @Test
  void a_user_that_may_not_load_scripts_is_served_too() throws Exception {
    primary.call("ACL", "SETUSER", "limited", "on", ">p", "~*", "&*", "+@all", "-script");
    String address = "redis://limited:p@" + primary.hostAndPort() + "?timeout=4s&replicas=1";
    Holdfast limited = clients.openAt(address, LONG);
    long before = Clients.scripts(primary);
    Optional<Lease> lease = limited.lock("n").tryAcquire();
    assertThat(lease).isPresent();
    assertThat(Clients.scripts(primary) - before)
        .as("by its digest, then by its source")
        .isEqualTo(2);
    assertThat(lease.get().release()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"1, wait", "all, info"})
  void a_grant_of_which_the_server_does_not_say_who_acknowledged_it_is_given_back(
      String replicas, String forbidden) throws Exception {
    primary.call("ACL", "SETUSER", "limited", "on", ">p", "~*", "&*", "+@all");
    String address = "redis://limited:p@" + primary.hostAndPort() + "?timeout=4s&replicas=";
    Holdfast limited = clients.openAt(address + replicas, LONG);
    limited.lock("other").acquire(LONG);
    primary.call("ACL", "SETUSER", "limited", "-" + forbidden);
    assertNotApplied(limited);
    assertThatThrownBy(() -> limited.lock("n").acquire(LONG))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("NOPERM");
    assertThat(primary.call("EXISTS", "lock:n")).isEqualTo(0L);
  }

  private void assertNotApplied(Holdfast holdfast) {
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
    assertThat(lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isEqualTo(LossCause.UNREACHABLE);
    assertThat(lease.isHeld()).isFalse();
    // The primary has the renewals that did not count; nobody shall wait for their end.
    Eventually.until("it is released", () -> primary.call("EXISTS", "lock:n").equals(0L));
  }

  @Test
  void a_replica_that_stands_still_for_less_than_the_lease_costs_nothing() throws Exception {
    Lease lease = holdfast.lock("n").withLeaseTime(LEASE.multipliedBy(3)).acquire(LONG);
    replica.pause();
    long waits = waits();
    Eventually.until("a renewal falls short", () -> waits() > waits + 1);
    replica.resume();
    Eventually.untilRenewed(lease);
    assertThat(lease.release()).isTrue();
  }

  private long waits() {
    return Clients.calls(primary).getOrDefault("wait", 0L);
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
    long before = waits();
    for (int i = 0; i < 500; i++) {
      asked.add(holdfast.lock("many/" + i).async().tryAcquire(LONG));
    }
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isPresent();
    }
    assertThat(waits() - before).isLessThan(250);
  }
}
