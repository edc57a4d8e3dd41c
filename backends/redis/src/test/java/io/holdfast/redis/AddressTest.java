// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an address may say, and what servers are refused. */
@Tag("redis")
class AddressTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://",
        "redis://:6379",
        "redis://host:port",
        "redis://host:0",
        "redis://a,b",
        "redis://host/x",
        "redis://host?timeout=soon",
        "redis://host?timeout=1h",
        "redis://host?replicas=-1",
        "redis://host?replicas=some",
        "redis://host?sentinel-password=p",
        "redis://host?prefix=hf:",
        "redis://host?unknown=1",
        "redis-sentinel://host",
        "redis-cluster://host/1"
      })
  void an_address_that_makes_no_sense_is_refused(String address) {
    assertThatIllegalArgumentException().isThrownBy(() -> BackendProvider.backendAt(address));
  }

  /** The failure that names this reason; one that says that a busy machine was slow does not. */
  private static BackendException refusal(String address, String reason) {
    AtomicReference<BackendException> refusal = new AtomicReference<>();
    Eventually.until(
        "a refusal because of " + reason,
        () -> {
          String patient = address + "?timeout=4s";
          refusal.set(
              catchThrowableOfType(
                  BackendException.class, () -> Holdfast.connect(patient).close()));
          return String.valueOf(refusal.get()).contains(reason);
        });
    return refusal.get();
  }

  @Test
  void a_wrong_password_is_a_refusal() {
    try (RedisServer server = RedisServer.start("--requirepass", "right")) {
      String address = "redis://:wrong@" + server.hostAndPort();
      assertThat(refusal(address, "WRONGPASS").isTransient()).isFalse();
      Holdfast.connect("redis://:right@" + server.hostAndPort() + "?timeout=4s").close();
    }
  }

  @Test
  void a_server_that_may_evict_locks_is_refused() {
    try (RedisServer server = RedisServer.start("--maxmemory-policy", "volatile-ttl")) {
      assertThat(refusal("redis://" + server.hostAndPort(), "volatile-ttl"))
          .hasMessageContaining("noeviction");
    }
  }

  @Test
  void a_replica_is_refused() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica =
            RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(primary.port()))) {
      assertThat(refusal("redis://" + replica.hostAndPort(), "a replica").isTransient()).isTrue();
    }
  }

  @Test
  void databases_and_prefixes_are_kept_apart() throws Exception {
    try (RedisServer server = RedisServer.start();
        Holdfast one =
            Holdfast.connect("redis://" + server.hostAndPort() + "/2?timeout=4s&prefix=a:");
        Holdfast other =
            Holdfast.connect("redis://" + server.hostAndPort() + "/2?timeout=4s&prefix=b:")) {
      assertThat(one.lock("n").tryAcquire()).isPresent();
      assertThat(other.lock("n").tryAcquire()).isPresent();
      assertThat(one.list("", 10)).hasSize(1);
      assertThat(server.call("DBSIZE")).isEqualTo(0L);
    }
  }
}
