// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A release right behind a request: the message of the grant may overtake the answer "held". */
@Tag("redis")
class HandOverTest {

  @Test
  void whoever_is_handed_the_lock_at_once_is_who_holds_it_in_the_store() throws Exception {
    try (RedisServer server = RedisServer.start();
        Clients clients = new Clients()) {
      Holdfast one = clients.open(server.hostAndPort(), Duration.ofMinutes(1));
      for (int round = 0; round < 1000; round++) {
        Lease held = one.lock("n").acquire(Duration.ofMinutes(1));
        CompletableFuture<Optional<Lease>> waiter =
            one.lock("n").async().tryAcquire(Duration.ofMinutes(1));
        held.release();
        Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
        assertThat(one.inspect("n").holders()).hasSize(1);
        assertThat(one.inspect("n").holders().get(0).token()).contains(next.token());
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        assertThat(next.release()).isTrue();
      }
    }
  }

  @Test
  void more_readers_than_one_script_serves_are_all_let_in_and_shown_and_can_be_ended()
      throws Exception {
    int many = 150;
    try (RedisServer server = RedisServer.start();
        Clients clients = new Clients()) {
      Holdfast one = clients.open(server.hostAndPort(), Duration.ofMinutes(1));
      Lease writer = one.lock("n").acquire(Duration.ofMinutes(1));
      List<CompletableFuture<Optional<Lease>>> readers = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        readers.add(one.lock("n").shared().async().tryAcquire(Duration.ofMinutes(1)));
      }
      Clients.awaitWaiters(one, "n", many);
      writer.release();
      List<FencingToken> tokens = new ArrayList<>();
      for (CompletableFuture<Optional<Lease>> reader : readers) {
        tokens.add(reader.get(60, TimeUnit.SECONDS).orElseThrow().token());
      }
      assertThat(one.inspect("n").holders())
          .extracting(holding -> holding.token().orElseThrow())
          .containsExactlyInAnyOrderElementsOf(tokens);
      for (FencingToken token : tokens) {
        assertThat(one.forceRelease("n", token, "a test")).isTrue();
      }
      assertThat(one.inspect("n").isFree()).isTrue();
    }
  }
}
