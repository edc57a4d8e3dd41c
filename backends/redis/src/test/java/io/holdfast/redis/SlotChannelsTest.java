// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Subscriptions in a cluster, one for each slot in which a client waits. The waiting client has
 * manual time: while that stands still it does not poll, and only a message tells it of a grant.
 */
@Tag("redis")
class SlotChannelsTest {
  private static final Duration LONG = Duration.ofHours(5);
  private static RedisCluster cluster;

  private final Clients clients = new Clients();
  private final ManualTime time = new ManualTime();
  private Holdfast holder;
  private Holdfast waiter;

  @BeforeAll
  static void start() {
    cluster = new RedisCluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void open() {
    Eventually.until("clients of other tests are gone", () -> subscriptions() == 0);
    holder = clients.openAt(cluster.address(), LONG);
    waiter =
        Holdfast.builder(BackendProvider.backendAt(cluster.address()))
            .time(time)
            .leaseTime(LONG)
            .localPasses(0, Duration.ZERO)
            .shutdownHook(false)
            .build();
  }

  @AfterEach
  void close() {
    waiter.close();
    clients.close();
  }

  private static long subscriptions() {
    return cluster.primaries().stream()
        .mapToLong(server -> ((List<?>) server.call("PUBSUB", "SHARDCHANNELS")).size())
        .sum();
  }

  private CompletableFuture<Optional<Lease>> waits(String name) {
    return waiter.lock(name).async().tryAcquire(LONG);
  }

  /** By a message: no time passes. */
  private void handOver(String name, Lease held, CompletableFuture<Optional<Lease>> waiting)
      throws Exception {
    Clients.awaitWaiters(holder, name, 1);
    held.release();
    waiting.get(60, TimeUnit.SECONDS).orElseThrow().release();
  }

  @Test
  void a_channel_that_no_waiter_has_used_for_a_minute_is_given_up_and_taken_again()
      throws Exception {
    for (int round = 0; round < 2; round++) {
      for (String name : List.of("a", "b", "c")) {
        Lease held = holder.lock(name).tryAcquire().orElseThrow();
        handOver(name, held, waits(name));
      }
      assertThat(subscriptions()).isEqualTo(3);
      time.advance(Duration.ofMinutes(2));
      Eventually.until("the channels are given up", () -> subscriptions() == 0);
    }
  }

  @Test
  void a_waiter_that_waits_for_minutes_is_told_by_a_message() throws Exception {
    Lease held = holder.lock("long").tryAcquire().orElseThrow();
    var waiting = waits("long");
    Clients.awaitWaiters(holder, "long", 1);
    time.advance(Duration.ofMinutes(5));
    assertThat(subscriptions()).isEqualTo(1);
    handOver("long", held, waiting);
  }

  @Test
  void a_waiter_that_comes_while_its_channel_is_given_up_is_told_by_a_message() throws Exception {
    for (int round = 0; round < 30; round++) {
      Lease held = holder.lock("race").tryAcquire().orElseThrow();
      CompletableFuture<Void> passing =
          CompletableFuture.runAsync(() -> time.advance(Duration.ofMinutes(1)));
      var waiting = waits("race");
      passing.get(60, TimeUnit.SECONDS);
      handOver("race", held, waiting);
    }
  }
}
