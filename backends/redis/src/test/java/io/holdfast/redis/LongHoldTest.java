// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockState;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that is held for days, as that of an election: its fence is kept as long as it is. */
@Tag("redis")
class LongHoldTest {
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration PERIOD = FenceKeeper.PERIOD.plusSeconds(1);
  private static final String HOUR = "3600000";

  private RedisServer server;
  private BareClient client;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    client = new BareClient("redis://" + server.hostAndPort());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private void renew(List<Hold> holds) throws Exception {
    assertThat(client.backend().renew(holds).toCompletableFuture().get(30, TimeUnit.SECONDS))
        .containsOnly(Renewal.RENEWED);
  }

  private Duration kept(String name) {
    return Duration.ofMillis((Long) server.call("PTTL", "{lock:" + name + "}:fence"));
  }

  @Test
  void has_its_token_and_can_be_ended_by_it_however_long_it_is_held() throws Exception {
    List<Hold> holds = client.take("n", 100, LEASE);
    for (Hold hold : holds) {
      server.call("PEXPIRE", "{lock:" + hold.name() + "}:fence", HOUR); // As after 23 hours.
    }
    client.pass(PERIOD);
    renew(holds);
    for (Hold hold : holds) {
      Eventually.until(
          "the fence of " + hold.name() + " is kept",
          () -> kept(hold.name()).compareTo(Duration.ofHours(23)) > 0);
    }
    LockState state =
        client.backend().inspect("n7").toCompletableFuture().get(30, TimeUnit.SECONDS);
    long token = state.holders().get(0).token().orElseThrow().value();
    assertThat(
            client
                .backend()
                .forceRelease("n7", token, "test")
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS))
        .isTrue();
  }

  @Test
  void costs_no_more_than_its_renewals_but_once_in_some_hours() throws Exception {
    List<Hold> holds = client.take("n", 10, LEASE);
    renew(holds);
    long before = Clients.scripts(server);
    renew(holds);
    assertThat(Clients.scripts(server) - before).isEqualTo(1);
    client.pass(PERIOD.plus(LEASE));
    renew(holds);
    assertThat(Clients.scripts(server) - before).isEqualTo(2);
  }

  @Test
  void leaves_a_fence_that_is_kept_for_longer_or_that_is_of_another_holder_as_it_is()
      throws Exception {
    List<Hold> holds = client.take("n", 3, LEASE);
    server.call("PEXPIRE", "{lock:n0}:fence", Long.toString(Duration.ofDays(10).toMillis()));
    server.call("SET", "{lock:n1}:fence", "1 2 other-1", "PX", HOUR);
    server.call("PEXPIRE", "{lock:n2}:fence", HOUR);
    client.pass(PERIOD);
    renew(holds);
    Eventually.until("one is kept", () -> kept("n2").compareTo(Duration.ofHours(23)) > 0);
    assertThat(kept("n0")).isGreaterThan(Duration.ofDays(9));
    assertThat(kept("n1")).isLessThanOrEqualTo(Duration.ofHours(1));
  }
}
