// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A client that knows the plain recipe only, {@code redis-cli} ({@code SET key id NX PX ms}, and a
 * compare-and-delete that knows nothing of queues) and Holdfast exclude each other on one key.
 */
@Tag("redis")
class PlainClientTest {
  private static final String COMPARE_AND_DELETE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
  private static final Duration LONG = Duration.ofMinutes(5);

  private RedisServer server;
  private Clients clients;
  private RedisCli plain;
  private Holdfast holdfast;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    clients = new Clients();
    plain = RedisCli.connect(server);
    holdfast = clients.open(server.hostAndPort(), Duration.ofSeconds(30));
  }

  @AfterEach
  void stop() {
    clients.close();
    plain.close();
    server.close();
  }

  private boolean plainTakes(String id) {
    return plain.call("SET lock:shared " + id + " NX PX 30000").equals("OK");
  }

  private boolean plainReleases(String id) {
    return plain.call("EVAL \"" + COMPARE_AND_DELETE + "\" 1 lock:shared " + id).equals("1");
  }

  @Test
  void a_plain_holder_keeps_holdfast_out() {
    assertThat(plainTakes("p")).isTrue();
    assertThat(holdfast.lock("shared").tryAcquire()).isEmpty();
    assertThat(holdfast.lock("shared").shared().tryAcquire()).isEmpty();
    assertThat(plainReleases("p")).isTrue();
    assertThat(holdfast.lock("shared").tryAcquire()).isPresent();
  }

  @Test
  void a_holder_keeps_plain_clients_out_in_every_mode() {
    Lease exclusive = holdfast.lock("shared").tryAcquire().orElseThrow();
    assertThat(plainTakes("p")).isFalse();
    assertThat(plainReleases("p")).isFalse();
    exclusive.release();
    Lease shared = holdfast.lock("shared").shared().tryAcquire().orElseThrow();
    assertThat(plainTakes("p")).isFalse();
    shared.release();
    Lease permit = holdfast.semaphore("shared", 3).tryAcquire().orElseThrow();
    assertThat(plainTakes("p")).isFalse();
    permit.release();
    assertThat(plainTakes("p")).isTrue();
  }

  @Test
  void a_waiter_behind_a_plain_holder_finds_out_that_it_is_gone() throws Exception {
    plainTakes("p");
    var waiter = holdfast.lock("shared").async().tryAcquire(LONG);
    Clients.awaitWaiters(holdfast, "shared", 1);
    plainReleases("p");
    assertThat(waiter.get(30, TimeUnit.SECONDS)).isPresent();
  }

  @Test
  void a_plain_holder_is_shown_as_one_that_has_no_token() {
    plainTakes("p");
    var state = holdfast.inspect("shared");
    assertThat(state.holders().get(0).holder()).isEqualTo("p");
    assertThat(state.holders().get(0).token()).isEmpty();
    assertThat(holdfast.list("sha", 10)).hasSize(1);
  }

  @Test
  void both_take_turns_for_a_thousand_rounds_and_never_overlap() throws Exception {
    int rounds = 1000;
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger ours = new AtomicInteger();
    AtomicInteger theirs = new AtomicInteger();
    CompletableFuture<Void> done =
        CompletableFuture.runAsync(
            () -> {
              while (ours.get() < rounds) {
                awaitTurn(ours, theirs);
                Lease lease = acquired();
                work(inside, overlaps);
                lease.release();
                ours.incrementAndGet();
              }
            });
    while (theirs.get() < rounds) {
      awaitTurn(theirs, ours);
      String id = "plain" + theirs.get();
      Eventually.until("the plain client has its turn", () -> plainTakes(id));
      work(inside, overlaps);
      assertThat(plainReleases(id)).isTrue();
      theirs.incrementAndGet();
    }
    done.get(5, TimeUnit.MINUTES);
    assertThat(overlaps.get()).isZero();
  }

  /** Nobody runs ahead by much: they are to meet at the lock, not one after the other. */
  private static void awaitTurn(AtomicInteger mine, AtomicInteger others) {
    Eventually.until("the other one keeps up", () -> mine.get() - others.get() < 20);
  }

  private Lease acquired() {
    try {
      return holdfast.lock("shared").acquire(LONG);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static void work(AtomicInteger inside, AtomicInteger overlaps) {
    if (inside.incrementAndGet() != 1) {
      overlaps.incrementAndGet();
    }
    Thread.onSpinWait();
    inside.decrementAndGet();
  }
}
