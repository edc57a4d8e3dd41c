// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A message of a grant may come late, on its own connection: when the grant has been found by a
 * poll, and while its release is under way.
 */
@Tag("redis")
class LateMessageTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Keys.LockKeys KEYS = new Keys("lock:").of("n");

  private RedisServer server;
  private FaultyProxy proxy;
  private BareClient client;
  private BareClient other;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    proxy = new FaultyProxy(server.port());
    client = new BareClient("redis://" + proxy.hostAndPort() + "?timeout=4s");
    other = new BareClient("redis://" + server.hostAndPort());
  }

  @AfterEach
  void stop() {
    proxy.heal();
    client.close();
    other.close();
    proxy.close();
    server.close();
  }

  @Test
  void takes_nothing_from_a_release_that_is_under_way() throws Exception {
    CompletableFuture<Boolean> released;
    long number = 0;
    do {
      released = releaseWhileTold(++number);
    } while (isTooLate(released));
    assertThat(released.get()).isTrue();
  }

  /** The server knows one of two scripts, so that the later one of two requests is first. */
  private CompletableFuture<Boolean> releaseWhileTold(long number) throws Exception {
    other.acquire("n", number, LONG).get(30, TimeUnit.SECONDS);
    assertThat(client.acquire("n", number, LONG).get(30, TimeUnit.SECONDS))
        .isInstanceOf(Held.class);
    other.release("n", number).get(30, TimeUnit.SECONDS);
    assertThat(client.served()).isEqualTo(number);
    server.call("SCRIPT", "FLUSH");
    server.call("SCRIPT", "LOAD", Script.GIVE_BACK.source());
    proxy.holdRequestsWith(Script.RELEASE.digest());
    CompletableFuture<Boolean> released = client.release("n", number);
    tell(number);
    proxy.heal();
    return released;
  }

  /** On a machine so slow that nothing was learned; the hold is over then all the same. */
  private boolean isTooLate(CompletableFuture<Boolean> released) {
    boolean failed = catchThrowable(() -> released.get(30, TimeUnit.SECONDS)) != null;
    if (failed) {
      server.call("FLUSHALL");
    }
    return failed;
  }

  /** Repeats the message of the grant; returns when it has been heard. */
  private void tell(long number) throws InterruptedException {
    String process = client.origin().process();
    String token = server.call("GET", KEYS.all()[1]).toString().replaceFirst("\\D.*", "");
    send(String.join(" ", "granted", process + "-" + number, token, token, "1", KEYS.lock()));
    send("forced " + process + "-99");
    assertThat(client.lost()).as("messages are heard in order").isEqualTo(99);
  }

  private void send(String message) {
    server.call("PUBLISH", Keys.CHANNEL + client.origin().process(), message);
  }
}
