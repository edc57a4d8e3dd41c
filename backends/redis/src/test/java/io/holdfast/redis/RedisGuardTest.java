// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Data in Redis that refuses a holder which was paused. */
@Tag("redis")
class RedisGuardTest {
  private final RedisServer server = RedisServer.start();
  private final RedisClient client = RedisClient.create("redis://" + server.hostAndPort());
  private final StatefulRedisConnection<String, String> connection = client.connect();
  private final Holdfast holdfast =
      Holdfast.connect("redis://" + server.hostAndPort() + "?timeout=4s");
  private final RedisGuard guard = new RedisGuard(connection, "{stock}:fence");
  private Lease lease;

  @BeforeEach
  void acquire() throws Exception {
    lease = holdfast.lock("stock").acquire(Duration.ofSeconds(30));
  }

  @AfterEach
  void close() {
    holdfast.close();
    connection.close();
    client.shutdown();
    server.close();
  }

  private FencingToken next() {
    return new FencingToken(lease.token().value() + 1);
  }

  @Test
  void a_holder_writes_as_often_as_it_likes() {
    guard.enter(lease);
    guard.set(lease, "{stock}", "7");
    guard.set(lease, "{stock}", "8");
    Object left =
        guard.eval(
            lease,
            "return redis.call('DECRBY', KEYS[1], ARGV[1])",
            ScriptOutputType.INTEGER,
            new String[] {"{stock}"},
            "3");
    assertThat(left).isEqualTo(5L);
    assertThat(connection.sync().get("{stock}:fence")).isEqualTo(lease.token().toString());
  }

  @Test
  void a_stale_holder_writes_nothing_and_its_lease_is_told() {
    guard.enter(lease);
    guard.raise(next());
    assertThatThrownBy(() -> guard.set(lease, "{stock}", "7"))
        .isInstanceOfSatisfying(
            StaleTokenException.class, stale -> assertThat(stale.newest()).isEqualTo(next()));
    assertThat(connection.sync().get("{stock}")).isNull();
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void tokens_that_differ_in_their_last_digit_alone_are_told_apart() {
    guard.raise(new FencingToken(Long.MAX_VALUE));
    assertThatThrownBy(() -> guard.raise(new FencingToken(Long.MAX_VALUE - 1)))
        .isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> guard.raise(new FencingToken(9)))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  void what_a_script_gets_wrong_is_a_typed_failure() {
    assertThatThrownBy(
            () -> guard.eval(lease, "return nonsense()", ScriptOutputType.STATUS, new String[] {}))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("{stock}:fence");
  }
}
