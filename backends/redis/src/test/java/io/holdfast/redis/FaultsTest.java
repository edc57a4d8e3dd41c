// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens to the server and the connections: nobody believes in a lease that its own clock
 * should have ended, tokens grow, waiters are served in the end, and nothing stays locked.
 */
@Tag("redis")
class FaultsTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(5);

  private RedisServer server;
  private Clients clients;
  private Holdfast one;
  private Holdfast other;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    clients = new Clients();
    one = clients.open(server.hostAndPort(), LEASE);
    other = clients.open(server.hostAndPort(), LEASE);
  }

  @AfterEach
  void stop() {
    clients.close();
    server.close();
  }

  private CompletableFuture<Optional<Lease>> waiter(Holdfast client) {
    CompletableFuture<Optional<Lease>> waiter = client.lock("n").async().tryAcquire(LONG);
    Clients.awaitWaiters(one, "n", 1);
    return waiter;
  }

  private static Lease granted(CompletableFuture<Optional<Lease>> waiter) throws Exception {
    return waiter.get(60, TimeUnit.SECONDS).orElseThrow();
  }

  private void assertNothingIsLeft() {
    Eventually.until(
        "nothing is held or waited for",
        () -> {
          try {
            return one.list("", 10).isEmpty();
          } catch (BackendException notYet) {
            return false;
          }
        });
  }

  @Test
  void scripts_that_the_server_has_forgotten_are_sent_again() throws Exception {
    one.lock("n").acquire(LONG).release();
    server.call("SCRIPT", "FLUSH");
    one.lock("n").acquire(LONG).release();
    assertNothingIsLeft();
  }

  @Test
  void a_waiter_survives_the_loss_of_its_connections() throws Exception {
    for (String kind : new String[] {"normal", "pubsub"}) {
      Lease held = one.lock("n").acquire(LONG);
      CompletableFuture<Optional<Lease>> waiter = waiter(other);
      server.call("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes");
      Eventually.until("the lock is released", () -> isReleased(held));
      Lease next = granted(waiter);
      assertThat(next.token().isNewerThan(held.token())).isTrue();
      next.release();
      assertNothingIsLeft();
    }
  }

  private static boolean isReleased(Lease lease) {
    try {
      return lease.release();
    } catch (BackendException notYet) {
      return false;
    }
  }

  @Test
  void a_holder_keeps_its_lease_when_its_connections_are_cut() throws Exception {
    Lease held = one.lock("n").acquire(LONG);
    server.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    server.call("CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes");
    Eventually.untilRenewed(held);
    assertThat(held.isHeld()).isTrue();
    assertThat(other.lock("n").tryAcquire()).isEmpty();
    held.release();
  }

  @Test
  void flushed_data_ends_the_lease_by_the_next_renewal_and_serves_the_waiter() throws Exception {
    Lease held = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(other);
    server.call("FLUSHALL");
    Lease next = granted(waiter);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    LossCause cause = held.loss().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(cause).isIn(LossCause.GONE, LossCause.TAKEN);
    assertThat(held.isHeld()).isFalse();
    next.release();
    assertNothingIsLeft();
  }

  @Test
  void after_a_crash_and_restart_tokens_grow_and_waiters_are_served() throws Exception {
    Lease held = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(other);
    server.kill();
    server.restart();
    Lease next = granted(waiter);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    held.loss().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(held.isHeld()).isFalse();
    next.release();
    assertNothingIsLeft();
  }

  @Test
  void a_server_that_stands_still_for_longer_than_the_lease_ends_it_and_serves_again()
      throws Exception {
    Lease held = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(other);
    server.pause();
    LossCause cause = held.loss().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(cause).isEqualTo(LossCause.UNREACHABLE);
    assertThat(held.isHeld()).isFalse();
    assertThat(waiter.isDone()).isFalse();
    server.resume();
    Lease next = granted(waiter);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    next.release();
    assertNothingIsLeft();
  }

  @Test
  void a_request_that_nobody_waits_for_any_more_takes_no_effect_when_the_server_wakes_up()
      throws Exception {
    one.lock("n").acquire(LONG).release();
    server.pause();
    CompletableFuture<Optional<Lease>> asked = one.lock("n").async().tryAcquire();
    Eventually.until("the request has failed", asked::isCompletedExceptionally);
    Eventually.pass(Duration.ofMillis(200));
    server.resume();
    assertNothingIsLeft();
    assertThat(other.lock("n").acquire(LONG).isHeld()).isTrue();
  }

  @Test
  void a_lost_reply_is_unknown_and_what_it_granted_is_given_back() throws Exception {
    try (FaultyProxy network = new FaultyProxy(server.port())) {
      Holdfast behind = clients.open(network.hostAndPort(), LEASE);
      behind.lock("n").acquire(LONG).release();
      network.loseReplies();
      CompletableFuture<Optional<Lease>> asked = behind.lock("n").async().tryAcquire();
      assertThat(failure(asked).outcome()).isEqualTo(Outcome.UNKNOWN);
      network.heal();
      network.cut();
      assertNothingIsLeft();
      assertThat(behind.lock("n").acquire(LONG).release()).isTrue();
    }
  }

  @Test
  void a_waiter_whose_replies_and_messages_were_lost_finds_its_grant() throws Exception {
    try (FaultyProxy network = new FaultyProxy(server.port())) {
      Holdfast behind = clients.open(network.hostAndPort(), Duration.ofSeconds(30));
      Lease held = one.lock("n").acquire(LONG);
      CompletableFuture<Optional<Lease>> waiter = waiter(behind);
      network.loseReplies();
      held.release();
      Eventually.until("it is served", () -> !one.inspect("n").isFree());
      assertThat(waiter.isDone()).isFalse();
      network.heal();
      network.cut();
      Lease next = granted(waiter);
      assertThat(one.inspect("n").holders().get(0).token()).contains(next.token());
      next.release();
      assertNothingIsLeft();
    }
  }

  @Test
  void a_client_that_cannot_reach_the_server_loses_its_lease_before_the_next_one_gets_it()
      throws Exception {
    try (FaultyProxy network = new FaultyProxy(server.port())) {
      Holdfast behind = clients.open(network.hostAndPort(), LEASE);
      Lease held = behind.lock("n").acquire(LONG);
      CompletableFuture<Optional<Lease>> waiter = waiter(other);
      network.loseEverything();
      Lease next = granted(waiter);
      assertThat(held.isHeld()).isFalse();
      assertThat(next.token().isNewerThan(held.token())).isTrue();
      network.heal();
      network.cut();
      assertThat(held.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(LossCause.UNREACHABLE);
      assertThat(next.release()).isTrue();
      assertNothingIsLeft();
    }
  }

  @Test
  void a_server_that_is_gone_is_a_failure_that_had_no_effect() throws Exception {
    server.kill();
    Eventually.until(
        "the client knows",
        () -> {
          CompletableFuture<Optional<Lease>> asked = one.lock("n").async().tryAcquire();
          return failure(asked).outcome() == Outcome.NOT_APPLIED;
        });
    server.restart();
    assertThat(one.lock("n").acquire(LONG).release()).isTrue();
  }

  private static BackendException failure(CompletableFuture<?> asked) {
    try {
      asked.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof BackendException failure) {
        return failure;
      }
    } catch (Exception other) {
      throw new AssertionError(other);
    }
    throw new AssertionError("it did not fail");
  }
}
