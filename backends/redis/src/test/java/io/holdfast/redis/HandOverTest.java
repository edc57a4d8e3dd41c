// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The waiter that is next, and how it hears of it. */
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
  void a_waiter_of_the_same_client_needs_no_message() throws Exception {
    try (RedisServer server = RedisServer.start();
        BareClient client = new BareClient("redis://" + server.hostAndPort())) {
      long messages = Clients.published(server);
      client.acquire("n", 1, Duration.ZERO).get(30, TimeUnit.SECONDS);
      client.acquire("n", 2, Duration.ofMinutes(1)).get(30, TimeUnit.SECONDS);
      assertThat(client.release("n", 1).get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(client.served()).isEqualTo(2);
      assertThat(Clients.published(server)).isEqualTo(messages);
    }
  }

  @Test
  void a_waiter_is_told_whatever_the_number_of_its_holder_is() throws Exception {
    try (RedisServer server = RedisServer.start();
        BareClient client = new BareClient("redis://" + server.hostAndPort())) {
      client.acquire("n", 1, Duration.ZERO).get(30, TimeUnit.SECONDS);
      client.acquire("n", Long.MAX_VALUE, Duration.ofMinutes(1)).get(30, TimeUnit.SECONDS);
      client.release("n", 1).get(30, TimeUnit.SECONDS);
      assertThat(client.served()).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void waiters_of_a_client_whose_release_has_no_answer_ask_for_themselves() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultyProxy network = new FaultyProxy(server.port());
        BareClient client = new BareClient("redis://" + network.hostAndPort() + "?timeout=2s")) {
      client.acquire("n", 3, Duration.ZERO).get(30, TimeUnit.SECONDS);
      client.release("n", 3).get(30, TimeUnit.SECONDS); // The server learns the scripts.
      client.acquire("n", 1, Duration.ZERO).get(30, TimeUnit.SECONDS);
      client.acquire("n", 2, Duration.ofMinutes(1)).get(30, TimeUnit.SECONDS);
      network.loseReplies();
      assertThatThrownBy(() -> client.release("n", 1).get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(BackendException.class);
      assertThat(client.retried()).isEqualTo("n");
      Eventually.until(
          "the server has served it", () -> server.call("GET", "lock:n").toString().endsWith("-2"));
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
