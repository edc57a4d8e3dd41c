// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Address;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.Ports;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.TestAuthority;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No log line, no exception and no {@code toString} tells a user or a password: whatever is tried,
 * the canary does not sing.
 */
@Tag("redis")
class SecretsTest {
  private static final String CANARY = "c4n4ry";
  private static final String USER = CANARY + "-user";
  private static final String PASSWORD = CANARY + "-password";
  private static final String LOGIN = USER + ":" + PASSWORD + "@";
  private static final String[] KNOWN = {"--user", USER, "on", ">" + PASSWORD, "~*", "&*", "+@all"};
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Overheard overheard = new Overheard();

  @AfterEach
  void assertNothingWasTold() {
    overheard.close();
    assertThat(overheard.lines()).isNotEmpty();
    assertThat(overheard.lines()).noneMatch(line -> line.contains(CANARY));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://%s127.0.0.1:1?timeout=300ms",
        "rediss://%s127.0.0.1:1?timeout=300ms",
        "redis-sentinel://%s127.0.0.1:1/mymaster?timeout=300ms&sentinel-password=c4n4ry",
        "redis-cluster://%s127.0.0.1:1?timeout=300ms",
        "redis-cluster://%sno.such.host.test?timeout=300ms"
      })
  void where_nobody_listens(String address) {
    fail(address.formatted(LOGIN));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://%s",
        "redis://%shost:6379x",
        "redis://%shost:99999",
        "redis://%shost/x",
        "redis://%sa,b",
        "redis://%shost?prefix=",
        "redis://%shost?timeout=never",
        "redis://%shost?passwort=c4n4ry",
        "redis://%shost?sentinel-password=c4n4ry",
        "redis://c4n4ry%%zz@host",
        "redis://host:c4n4ry",
        "redis-sentinel://%shost?sentinel-user=c4n4ry&sentinel-password=c4n4ry",
        "redis-cluster://%shost/1",
        "reddis://%shost"
      })
  void in_an_address_that_makes_no_sense(String address) {
    overheard.add(address.replace("%s", "").replace(CANARY, "")); // Not even a line is logged.
    fail(address.formatted(LOGIN));
  }

  private void fail(String address) {
    Throwable failure = catchThrowable(() -> Holdfast.connect(address).close());
    assertThat(failure).isNotNull();
    overheard.add(failure);
  }

  @Test
  void at_a_server_that_knows_them_through_use_rotation_and_standstill() throws Exception {
    try (RedisServer server = RedisServer.start(KNOWN)) {
      String address = "redis://" + LOGIN + server.hostAndPort() + "?timeout=2s";
      Holdfast holdfast = Holdfast.connect(address);
      use(holdfast);
      server.pause();
      overheard.add(catchThrowable(() -> holdfast.lock("n").tryAcquire()));
      fail(address);
      server.resume();
      server.call("ACL", "SETUSER", USER, "resetpass", ">other");
      server.call("CLIENT", "KILL", "USER", USER);
      Eventually.until("it is refused", () -> isRefused(holdfast));
      holdfast.close();
      fail(address);
    }
  }

  private boolean isRefused(Holdfast holdfast) {
    Throwable failure = catchThrowable(() -> holdfast.lock("n").tryAcquire());
    if (failure != null) {
      overheard.add(failure);
    }
    return failure != null && failure.toString().contains("WRONGPASS");
  }

  private void use(Holdfast holdfast) throws Exception {
    Lease lease = holdfast.lock("n").acquire(LONG);
    overheard.add(holdfast);
    overheard.add(lease);
    overheard.add(holdfast.guarantees());
    overheard.add(holdfast.inspect("n"));
    lease.release();
  }

  @Test
  void at_sentinels_and_their_servers() throws Exception {
    try (SentinelGroup group = SentinelGroup.withSentinelPassword(PASSWORD, KNOWN)) {
      String address = group.address().replace("//", "//" + LOGIN);
      try (Holdfast holdfast = Holdfast.connect(address + "&sentinel-password=" + PASSWORD)) {
        use(holdfast);
      }
      fail(address);
      fail(address + "&sentinel-password=" + CANARY);
      String wrong = group.address().replace("//", "//" + USER + ":" + CANARY + "@");
      fail(wrong + "&sentinel-password=" + PASSWORD);
    }
  }

  @Test
  void at_a_cluster() throws Exception {
    try (RedisCluster cluster = new RedisCluster(RedisServer.binary(), KNOWN)) {
      try (Holdfast holdfast = Holdfast.connect(cluster.address().replace("//", "//" + LOGIN))) {
        use(holdfast);
      }
      fail(cluster.address().replace("//", "//" + USER + ":" + CANARY + "@"));
    }
  }

  @Test
  void where_tls_fails_and_where_it_works(@TempDir Path directory) throws Exception {
    TestAuthority authority = new TestAuthority(directory);
    int port = Ports.free();
    String[] tls = authority.issue("dns:localhost").serverOptions(port);
    try (RedisServer server = RedisServer.start(tls)) {
      String rule = "~* &* +@all";
      server.call(("ACL SETUSER " + USER + " on >" + PASSWORD + " " + rule).split(" "));
      String address = "rediss://" + LOGIN + "localhost:" + port + "?timeout=4s";
      fail(address);
      String trusting = address + "&ca=" + authority.certificate();
      fail(trusting.replace("localhost", "127.0.0.1"));
      fail(trusting.replace(PASSWORD, CANARY));
      try (Holdfast holdfast = Holdfast.connect(trusting)) {
        use(holdfast);
      }
    }
  }

  @Test
  void in_what_settings_print_of_themselves() {
    String address = "redis-sentinel://" + LOGIN + "host/m?sentinel-password=" + PASSWORD;
    RedisBackend.Builder builder =
        RedisBackend.builder(address)
            .credentials(USER, PASSWORD)
            .sentinelCredentials(USER, PASSWORD);
    overheard.add(builder);
    overheard.add(builder.build());
    overheard.add(builder.build().guarantees());
    overheard.add(Address.parse(address));
    overheard.add(RedisSettings.of(Address.parse(address)));
    overheard.add(RedisSettings.of(Address.parse(address)).credentials());
    assertThat(builder.toString()).isEqualTo("redis-sentinel://host:26379");
  }
}
