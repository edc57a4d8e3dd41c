// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LockState;
import io.holdfast.Origin;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server is told of where a process runs, and what it shows of it. */
@Tag("redis")
class OriginsTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Holdfast open(ManualTime time) {
    return Holdfast.builder(
            BackendProvider.backendAt("redis://" + server.hostAndPort() + "?timeout=4s"))
        .time(time)
        .leaseTime(Duration.ofHours(1))
        .shutdownHook(false)
        .build();
  }

  private static LockState.Holding holding(Holdfast holdfast) {
    return holdfast.inspect("n").holders().get(0);
  }

  private String recordOf(Holdfast holdfast) {
    Origin origin = holding(holdfast).origin().orElseThrow();
    return Keys.process(origin.process());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "1", "1 host", "one host app", "1  app", "99999999999999999999 host app"})
  void a_record_that_is_malformed_is_an_unknown_origin(String text) throws Exception {
    try (Holdfast holdfast = open(new ManualTime())) {
      holdfast.lock("n").acquire(LONG);
      server.call("SET", recordOf(holdfast), text);
      assertThat(holding(holdfast).origin()).isEmpty();
      assertThat(holdfast.list("", 10)).hasSize(1);
    }
  }

  @Test
  void a_record_of_another_type_is_an_unknown_origin() throws Exception {
    try (Holdfast holdfast = open(new ManualTime())) {
      holdfast.lock("n").acquire(LONG);
      String key = recordOf(holdfast);
      server.call("DEL", key);
      server.call("LPUSH", key, "x");
      assertThat(holding(holdfast).origin()).isEmpty();
    }
  }

  @Test
  void a_record_that_the_server_has_lost_is_back_after_a_minute() throws Exception {
    ManualTime time = new ManualTime();
    try (Holdfast holdfast = open(time)) {
      holdfast.lock("n").acquire(LONG);
      Optional<Origin> origin = holding(holdfast).origin();
      assertThat(origin).isPresent();
      server.call("FLUSHALL");
      holdfast.lock("m").acquire(LONG);
      time.advance(Duration.ofMinutes(1));
      Eventually.until(
          "the origin is known again",
          () -> holdfast.inspect("m").holders().get(0).origin().equals(origin));
    }
  }

  @Test
  void a_minute_costs_one_write_and_a_closed_client_leaves_no_record() throws Exception {
    ManualTime time = new ManualTime();
    Holdfast holdfast = open(time);
    Eventually.until("it is written", () -> sets() == 1);
    for (int minute = 2; minute <= 5; minute++) {
      int written = minute;
      time.advance(Duration.ofMinutes(1));
      Eventually.until("it is written again", () -> sets() >= written);
      assertThat(sets()).isEqualTo(written);
    }
    holdfast.close();
    time.advance(Duration.ofMinutes(3));
    Eventually.until("it is gone", () -> server.call("DBSIZE").equals(0L));
  }

  private long sets() {
    return Clients.calls(server).getOrDefault("set", 0L);
  }
}
