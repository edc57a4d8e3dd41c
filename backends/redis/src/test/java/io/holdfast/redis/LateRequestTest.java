// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A request that was not answered may be carried out after the release that followed it. The holder
 * has left by then: whatever the request brings it is given back.
 */
@Tag("redis")
class LateRequestTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private RedisServer server;
  private FaultyProxy proxy;
  private BareClient client;
  private BareClient other;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    proxy = new FaultyProxy(server.port());
    client = new BareClient("redis://" + proxy.hostAndPort() + "?timeout=1s");
    other = new BareClient("redis://" + server.hostAndPort());
  }

  @AfterEach
  void stop() {
    client.close();
    other.close();
    proxy.close();
    server.close();
  }

  @Test
  void of_a_caller_that_does_not_wait_is_released_when_it_can_come_no_more() throws Exception {
    askInVain(Duration.ZERO);
    leave();
    carryOutLate(Duration.ZERO);
    assertThat(server.call("EXISTS", "lock:n")).isEqualTo(1L);
    client.runLater();
    Eventually.until("it is released", () -> server.call("EXISTS", "lock:n").equals(0L));
  }

  @Test
  void of_a_waiter_is_taken_out_of_the_queue_when_it_can_come_no_more() throws Exception {
    other.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS);
    askInVain(LONG);
    leave();
    carryOutLate(LONG);
    assertThat(server.call("ZCARD", "{lock:n}:queue")).isEqualTo(1L);
    client.runLater();
    Eventually.until("it has left", () -> server.call("ZCARD", "{lock:n}:queue").equals(0L));
  }

  @Test
  void of_a_waiter_that_is_made_the_holder_is_given_back_at_once() throws Exception {
    other.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS);
    askInVain(LONG);
    leave();
    carryOutLate(LONG);
    assertThat(other.release("n", 1).get(30, TimeUnit.SECONDS)).isTrue();
    Eventually.until("it is given back", () -> server.call("EXISTS", "lock:n").equals(0L));
  }

  @Test
  void of_a_waiter_is_given_back_by_its_token_so_that_no_other_hold_ends() throws Exception {
    // A script that the server does not know is called twice, and calls are what the test counts.
    server.call("SCRIPT", "LOAD", Script.GIVE_BACK.source());
    askInVain(LONG);
    leave();
    long token = Script.number(carryOutLate(LONG), 0);
    tell(token - 1);
    assertThat(server.call("EXISTS", "lock:n")).isEqualTo(1L);
    tell(token);
    assertThat(server.call("EXISTS", "lock:n")).isEqualTo(0L);
  }

  @Test
  void that_failed_after_its_waiter_had_left_is_released_with_its_place() throws Exception {
    try (RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", server.port() + "");
        BareClient waiter =
            new BareClient("redis://" + proxy.hostAndPort() + "?timeout=1s&replicas=1")) {
      Eventually.until(
          "the replica follows", () -> replica.call("ROLE").toString().contains("connected"));
      other.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS);
      assertThat(waiter.acquire("n", 2, LONG).get(30, TimeUnit.SECONDS)).isInstanceOf(Held.class);
      waiter.release("n", 2).get(30, TimeUnit.SECONDS);
      proxy.holdRequestsWith(Script.ACQUIRE.digest());
      CompletableFuture<?> asked = waiter.acquire("n", 1, LONG);
      // On another connection.
      assertThat(waiter.release("n", 1).get(30, TimeUnit.SECONDS)).isFalse();
      assertThatThrownBy(() -> asked.get(30, TimeUnit.SECONDS)).hasMessageContaining("acquire");
      carryOutLate(waiter, LONG);
      assertThat(waiter.release("n", 1).get(30, TimeUnit.SECONDS)).isFalse();
      assertThat(server.call("ZCARD", "{lock:n}:queue")).isEqualTo(0L);
    }
  }

  /** Asks for the lock, and nobody knows what became of that. */
  private void askInVain(Duration patience) {
    proxy.loseEverything();
    CompletableFuture<?> asked = client.acquire("n", 1, patience);
    assertThatThrownBy(() -> asked.get(30, TimeUnit.SECONDS)).hasMessageContaining("acquire");
    client.pass(LONG.negated()); // However slow this machine is, it may yet be carried out.
    proxy.heal();
  }

  private void leave() {
    Eventually.until(
        "the release is answered",
        () -> catchThrowable(() -> client.release("n", 1).get(30, TimeUnit.SECONDS)) == null);
  }

  private List<Object> carryOutLate(Duration patience) {
    return carryOutLate(client, patience);
  }

  /** The server comes to the request. */
  private List<Object> carryOutLate(BareClient sender, Duration patience) {
    String channel = Keys.CHANNEL + sender.origin().process();
    Keys.LockKeys keys = new Keys("lock:").of("n");
    List<String> command = new ArrayList<>(List.of("EVAL", Script.ACQUIRE.source()));
    command.add(Integer.toString(keys.all().length));
    command.addAll(List.of(keys.all()));
    command.add(Entries.of(sender.request("n", 1, patience), channel));
    command.addAll(List.of(ScriptBench.LATER, Long.toString(patience.toMillis()), "0"));
    Object reply = server.call(command.toArray(String[]::new));
    return reply instanceof List<?> parts ? List.copyOf(parts) : List.of(reply);
  }

  /** As if it had been granted by message; waits for what it does. */
  private void tell(long token) {
    String process = client.origin().process();
    long before = Clients.scripts(server);
    String grant =
        String.join(" ", "granted", process + "-1", token + "", token + "", "1", "lock:n");
    server.call("PUBLISH", Keys.CHANNEL + process, grant);
    Eventually.until("it is given back", () -> Clients.scripts(server) > before);
  }
}
