// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.RedisServer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

  private static Holdfast restored(RedisServer server) {
    AtomicInteger drawn = new AtomicInteger();
    RandomGenerator system = new SecureRandom();
    return Holdfast.builder("redis://" + server.hostAndPort())
        .random(() -> drawn.getAndIncrement() < LONGS_OF_THE_ID ? 7 : system.nextLong())
        .shutdownHook(false)
        .build();
  }
}
