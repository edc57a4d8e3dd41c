// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.ManualTime;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A trouble is one line in the log when it begins and one when it ends, however long it lasts. */
@Tag("redis")
class LogLinesTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private static long count(Overheard overheard, String text) {
    return overheard.lines().stream().filter(line -> line.contains(text)).count();
  }

  private static void restart(RedisServer server, Holdfast client) {
    server.kill();
    server.restart();
    Eventually.until("it is connected again", () -> isAnswered(client));
  }

  private static boolean isAnswered(Holdfast client) {
    try {
      return client.inspect("n").isFree();
    } catch (BackendException noConnection) {
      return false;
    }
  }

  @Test
  void a_clock_that_differs_is_told_once_over_many_connections_and_once_when_it_agrees_again() {
    try (SettableClock clock = SettableClock.find();
        RedisServer server = RedisServer.startBinary(OldRedis.binary(), clock);
        Clients clients = new Clients();
        Overheard overheard = new Overheard()) {
      clock.set(Duration.ofMinutes(3));
      Holdfast client = clients.open(server.hostAndPort(), LONG);
      for (int round = 0; round < 4; round++) {
        restart(server, client);
      }
      assertThat(count(overheard, "ms ahead of ours")).isEqualTo(1);
      clock.set(Duration.ZERO);
      for (int round = 0; round < 3; round++) {
        restart(server, client);
      }
      assertThat(count(overheard, "ms ahead of ours")).isEqualTo(1);
      assertThat(count(overheard, "agrees with ours again")).isEqualTo(1);
    }
  }

  @Test
  void messages_that_are_not_for_us_are_told_once_and_once_when_they_have_ended() throws Exception {
    ManualTime time = new ManualTime();
    try (RedisServer server = RedisServer.start();
        Overheard overheard = new Overheard();
        Holdfast client =
            Holdfast.builder(
                    BackendProvider.backendAt("redis://" + server.hostAndPort() + "?timeout=4s"))
                .time(time)
                .shutdownHook(false)
                .build()) {
      String channel = ((List<?>) server.call("PUBSUB", "CHANNELS")).get(0).toString();
      for (int round = 1; round <= 2; round++) {
        Lease lease = client.lock("n").acquire(LONG);
        String holder = client.inspect("n").holders().get(0).holder();
        for (int i = 0; i < 100; i++) {
          server.call("PUBLISH", channel, "nonsense " + i);
        }
        // Comes behind the others on the same connection, so that they have come too.
        server.call("PUBLISH", channel, "forced " + holder + " by a test");
        assertThat(lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS))
            .isEqualTo(LossCause.FORCED);
        server.call("DEL", "lock:n");
        long begun = round;
        assertThat(count(overheard, "not for us was ignored")).isEqualTo(begun);
        time.advance(Duration.ofMinutes(2));
        assertThat(count(overheard, "100 were ignored")).isEqualTo(begun);
      }
    }
  }
}
