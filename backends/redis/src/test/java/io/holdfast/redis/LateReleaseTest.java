// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A release that lies in a socket, while its holder asks again on another connection, does not end
 * what the holder is granted then. With replicas to wait for, there are two such connections.
 */
@Tag("redis")
class LateReleaseTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Clients clients = new Clients();
  private RedisServer primary;
  private RedisServer replica;
  private FaultyProxy proxy;

  @BeforeEach
  void start() {
    primary = RedisServer.start();
    replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()));
    Eventually.until("the replica follows", () -> SentinelGroup.replicas(primary) == 1);
    for (Script known : Script.values()) {
      primary.call("SCRIPT", "LOAD", known.source());
    }
    proxy = new FaultyProxy(primary.port());
  }

  @AfterEach
  void stop() {
    replica.resume();
    proxy.heal();
    clients.close();
    proxy.close();
    replica.close();
    primary.close();
  }

  private String address() {
    return "redis://" + proxy.hostAndPort() + "?timeout=1s&replicas=1";
  }

  private long waits() {
    return Clients.calls(primary).getOrDefault("wait", 0L);
  }

  @Test
  void of_a_grant_that_too_few_replicas_acknowledged_does_not_end_the_one_that_they_did()
      throws Exception {
    Holdfast holdfast = clients.openAt(address(), LONG);
    Holdfast other = clients.open(primary.hostAndPort(), LONG);
    proxy.holdRequestsWith(Script.RELEASE.digest());
    replica.pause();
    CompletableFuture<Optional<Lease>> asked = holdfast.lock("n").async().tryAcquire(LONG);
    long before = waits();
    Eventually.until("it has asked again", () -> waits() > before + 1);
    replica.resume();
    Lease lease = asked.get(60, TimeUnit.SECONDS).orElseThrow();
    proxy.heal();
    assertThat(other.lock("n").tryAcquire(Duration.ofSeconds(2))).isEmpty();
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.release()).isTrue();
  }

  @Test
  void of_a_grant_that_was_lost_before_it_was_believed_does_not_end_the_next_one()
      throws Exception {
    try (BareClient client = new BareClient(address());
        BareClient other = new BareClient("redis://" + primary.hostAndPort())) {
      assertThat(other.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
      assertThat(client.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS)).isInstanceOf(Held.class);
      proxy.holdRequestsWith(Script.ACQUIRE.digest());
      CompletableFuture<?> poll = client.acquire("n", 1, LONG);
      other.release("n", 1).get(30, TimeUnit.SECONDS);
      assertThat(client.served()).isEqualTo(1);
      primary.call("SET", "lock:n", "of a plain client", "PX", "60000");
      proxy.holdRequestsWith(Script.RELEASE.digest());
      assertThatThrownBy(() -> poll.get(30, TimeUnit.SECONDS))
          .hasMessageContaining("was lost at once");
      primary.call("DEL", "lock:n");
      assertThat(client.acquire("n", 1, LONG).get(30, TimeUnit.SECONDS))
          .isInstanceOf(Granted.class);
      Object holder = primary.call("GET", "lock:n");
      proxy.heal();
      Eventually.pass(Duration.ofSeconds(1)); // So long a late release has to arrive.
      assertThat(primary.call("GET", "lock:n")).isEqualTo(holder);
    }
  }
}
