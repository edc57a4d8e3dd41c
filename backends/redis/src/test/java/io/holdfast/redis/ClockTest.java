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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real server whose clock is set while locks are held. */
@Tag("redis")
class ClockTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final SettableClock clock = SettableClock.find();
  private final Clients clients = new Clients();
  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.startBinary(OldRedis.binary(), clock);
  }

  @AfterEach
  void stop() {
    clients.close();
    server.close();
    clock.close();
  }

  @Test
  void a_clock_that_is_set_forward_by_less_than_the_lease_has_it_renewed_at_once()
      throws Exception {
    Duration lease = Duration.ofMinutes(10);
    Holdfast holdfast = clients.open(server.hostAndPort(), lease);
    try (Overheard overheard = new Overheard()) {
      Lease held = holdfast.lock("n").acquire(LONG);
      clock.set(Duration.ofMinutes(4));
      holdfast.inspect("other");
      Eventually.until(
          "it is logged",
          () -> overheard.lines().stream().anyMatch(line -> line.contains("was set by at least")));
      // Long before a third of the lease time; without it six minutes would be left.
      Eventually.until(
          "it is renewed", () -> remainingOnServer().compareTo(Duration.ofMinutes(9)) > 0);
      Eventually.until("that counts", () -> held.remaining().compareTo(Duration.ofMinutes(9)) > 0);
      assertThat(held.release()).isTrue();
    }
  }

  private Duration remainingOnServer() {
    return Duration.ofMillis((Long) server.call("PTTL", "lock:n"));
  }

  @Test
  void a_clock_that_is_set_forward_by_more_than_the_lease_ends_it_at_once() throws Exception {
    Holdfast holdfast = clients.open(server.hostAndPort(), Duration.ofMinutes(10));
    Lease held = holdfast.lock("n").acquire(LONG);
    clock.set(Duration.ofMinutes(15));
    // Any reply tells the time: here, that of somebody else's request.
    holdfast.inspect("other");
    assertThat(held.loss().toCompletableFuture().get(30, TimeUnit.SECONDS))
        .isIn(LossCause.EXPIRED, LossCause.GONE);
    assertThat(held.isHeld()).isFalse();
    Lease next = holdfast.lock("n").acquire(LONG);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
  }

  @Test
  void a_clock_that_is_set_back_makes_no_token_go_back() throws Exception {
    Holdfast holdfast = clients.open(server.hostAndPort(), Duration.ofMinutes(10));
    Lease first = holdfast.lock("n").acquire(LONG);
    first.release();
    clock.set(Duration.ofHours(-1));
    Lease second = holdfast.lock("n").acquire(LONG);
    assertThat(second.token().isNewerThan(first.token())).isTrue();
    assertThat(second.isHeld()).isTrue();
    assertThat(second.release()).isTrue();
  }

  @Test
  void a_clock_that_differs_from_ours_is_told_at_the_start() {
    clock.set(Duration.ofMinutes(3));
    try (Overheard overheard = new Overheard()) {
      clients.open(server.hostAndPort(), LONG);
      assertThat(overheard.lines()).anyMatch(line -> line.contains("ms ahead of ours"));
    }
  }
}
