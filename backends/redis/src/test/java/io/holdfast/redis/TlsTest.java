// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Ports;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections with TLS, to a real server: whom they trust, and what a refusal says. */
@Tag("redis")
class TlsTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir private static Path directory;
  private static TestAuthority authority;
  private static RedisServer server;
  private static int port;

  @BeforeAll
  static void start() {
    authority = new TestAuthority(directory);
    port = Ports.free();
    server = RedisServer.start(authority.issue("dns:localhost,ip:127.0.0.1").serverOptions(port));
    server.call("ACL", "SETUSER", "someone", "on", ">secret", "~*", "&*", "+@all");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String address(String host, int at) {
    return "rediss://" + host + ":" + at + "?timeout=4s&ca=" + authority.certificate();
  }

  @Test
  void a_server_whose_certificate_names_the_host_is_trusted() throws Exception {
    for (String host : new String[] {"localhost", "127.0.0.1"}) {
      try (Holdfast one = Holdfast.connect(address(host, port));
          Holdfast other = Holdfast.connect(address(host, port))) {
        Lease held = one.lock("n").acquire(LONG);
        var waiter = other.lock("n").async().tryAcquire(LONG);
        Clients.awaitWaiters(one, "n", 1);
        held.release();
        assertThat(waiter.get().orElseThrow().token().isNewerThan(held.token())).isTrue();
      }
    }
  }

  @Test
  void user_and_password_are_those_of_the_address_and_of_the_builder() {
    String address = address("localhost", port);
    try (Holdfast one = Holdfast.connect(address.replace("//", "//someone:secret@"))) {
      assertThat(one.lock("user").tryAcquire()).isPresent();
    }
    String bare = "rediss://localhost:" + port + "?timeout=4s";
    try (Holdfast one =
        Holdfast.builder(
                RedisBackend.builder(bare)
                    .certificates(authority.certificate())
                    .credentials("someone", "secret")
                    .build())
            .build()) {
      assertThat(one.lock("user").tryAcquire()).isPresent();
    }
    BackendException wrong = refusal(address.replace("//", "//someone:wrong@"));
    assertThat(wrong).hasMessageContaining("WRONGPASS");
    assertThat(wrong.isTransient()).isFalse();
  }

  @Test
  void a_certificate_of_another_host_is_refused() {
    int elsewhere = Ports.free();
    try (RedisServer wrong =
        RedisServer.start(authority.issue("dns:elsewhere.test").serverOptions(elsewhere))) {
      assertThat(wrong.port()).isNotEqualTo(elsewhere);
      for (String host : new String[] {"localhost", "127.0.0.1"}) {
        BackendException refusal = refusal(address(host, elsewhere));
        assertThat(refusal)
            .hasMessageContaining("certificate")
            .hasMessageContaining("'" + host + "'")
            .hasMessageContaining("not for this host");
        assertThat(refusal.isTransient()).isFalse();
      }
    }
  }

  @Test
  void a_certificate_of_an_authority_that_is_not_trusted_is_refused() {
    // The authorities of the JVM are those of the world, and ours is not among them.
    BackendException refusal = refusal("rediss://localhost:" + port + "?timeout=4s");
    assertThat(refusal).hasMessageContaining("not trusted").hasMessageContaining("ca=");
    assertThat(refusal.isTransient()).isFalse();
  }

  @Test
  void a_server_without_tls_is_refused() {
    BackendException refusal = refusal(address("localhost", server.port()));
    assertThat(refusal).hasMessageContaining("TLS");
  }

  @Test
  void a_file_of_certificates_that_is_none_is_refused() throws Exception {
    Path missing = directory.resolve("missing.pem");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BackendProvider.backendAt("rediss://localhost?ca=" + missing))
        .withMessageContaining("missing.pem");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> BackendProvider.backendAt("redis://localhost?ca=" + authority.certificate()))
        .withMessageContaining("rediss:");
    Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "no certificate");
    BackendException refusal = refusal("rediss://localhost:" + port + "?ca=" + nonsense);
    assertThat(refusal).hasMessageContaining("nonsense.pem");
  }

  private static BackendException refusal(String address) {
    BackendException refusal =
        catchThrowableOfType(BackendException.class, () -> Holdfast.connect(address).close());
    assertThat(refusal).isNotNull();
    assertThat(refusal.outcome()).isEqualTo(BackendException.Outcome.NOT_APPLIED);
    return refusal;
  }
}
