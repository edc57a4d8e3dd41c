// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.testkit.servers.RedisServer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes that were restored from one snapshot: with one id, and randomness of their own. */
@Tag("redis")
class RestoredProcessTest {
  private static final int LONGS_OF_THE_ID = 2;

  @Test
  void does_not_hold_a_lock_beside_its_clone() throws Exception {
    try (RedisServer server = RedisServer.start();
        Holdfast one = restored(server);
        Holdfast two = restored(server)) {
      Lease first = one.lock("a").tryAcquire().orElseThrow();
      assertThat(two.lock("a").tryAcquire()).isEmpty();
      CompletableFuture<Lease> next = two.lock("a").async().acquire(Duration.ofMinutes(5));
      assertThat(first.release()).isTrue();
      Lease second = next.get(1, TimeUnit.MINUTES);
      assertThat(second.holder().process()).isEqualTo(first.holder().process());
      assertThat(second.token().isNewerThan(first.token())).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"by a stranger", "by its clone"})
  void does_not_give_back_a_lock_that_was_handed_to_its_clone(String handed) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      String address = "redis://" + server.hostAndPort();
      try (BareClient one = new BareClient(address);
          BareClient clone = new BareClient(address, one.origin().process());
          BareClient stranger = new BareClient(address)) {
        BareClient holder = handed.equals("by its clone") ? clone : stranger;
        Duration wait = Duration.ofMinutes(5);
        holder.acquire("n", 1, wait).get(1, TimeUnit.MINUTES);
        assertThat(one.acquire("n", 2, wait).get(1, TimeUnit.MINUTES)).isInstanceOf(Held.class);
        assertThat(holder.release("n", 1).get(1, TimeUnit.MINUTES)).isTrue();
        awaitWhatFollows(clone, server);
        assertThat(server.call("GET", "lock:n")).isEqualTo(one.origin().process() + "-2");
      }
    }
  }

  /** Until it has heard all messages, and what it has sent because of them was answered. */
  private static void awaitWhatFollows(BareClient client, RedisServer server) throws Exception {
    String process = client.origin().process();
    server.call("PUBLISH", Keys.CHANNEL + process, "forced " + process + "-9");
    assertThat(client.lost()).isEqualTo(9);
    client.backend().inspect("n").toCompletableFuture().get(1, TimeUnit.MINUTES);
  }

  private static Holdfast restored(RedisServer server) {
    AtomicInteger drawn = new AtomicInteger();
    RandomGenerator system = new SecureRandom();
    return Holdfast.builder("redis://" + server.hostAndPort() + "?timeout=4s")
        .random(() -> drawn.getAndIncrement() < LONGS_OF_THE_ID ? 7 : system.nextLong())
        .shutdownHook(false)
        .build();
  }
}
