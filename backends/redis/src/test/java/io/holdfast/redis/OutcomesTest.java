// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a server that is there and does not do its work means for a request: had no effect, and may
 * be repeated, or not; and that service resumes by itself.
 */
@Tag("redis")
@SuppressWarnings("NullAway.Init") // Each test starts its own.
class OutcomesTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Clients clients = new Clients();
  private RedisServer server;
  private Holdfast holdfast;

  private void start(String... options) {
    server = RedisServer.start(options);
    holdfast = clients.open(server.hostAndPort(), LEASE);
  }

  @AfterEach
  void stop() {
    clients.close();
    server.close();
  }

  @Test
  void a_server_that_is_loading_had_no_effect_and_serves_when_it_is_done() {
    // Options of Redis for its own tests: a millisecond for each key.
    start("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024");
    server.call("EVAL", "for i = 1, 3000 do redis.call('SET', 'k' .. i, i) end", "0");
    server.call("SAVE");
    server.kill();
    server.launch();
    List<BackendException> failures = new ArrayList<>();
    Eventually.until("it serves", () -> isServed(failures));
    // The first may have been under way when the server was killed: nobody knows of that one.
    List<BackendException> loading =
        failures.stream().filter(failure -> failure.toString().contains("LOADING")).toList();
    assertThat(loading)
        .isNotEmpty()
        .allMatch(failure -> failure.outcome() == Outcome.NOT_APPLIED)
        .allMatch(BackendException::isTransient);
  }

  private boolean isServed(List<BackendException> failures) {
    try {
      return holdfast.lock("n").tryAcquire().map(Lease::release).orElse(false);
    } catch (BackendException failure) {
      failures.add(failure);
      return false;
    }
  }

  @Test
  void a_server_that_cannot_save_had_no_effect_and_serves_when_it_can(@TempDir Path parent)
      throws Exception {
    Path directory = Files.createDirectory(parent.resolve("data"));
    start("--dir", directory.toString(), "--save", "3600 1");
    Files.delete(directory);
    server.call("SET", "unsaved", "1");
    saveUntil("err");
    assertMayBeRepeated("MISCONF");
    Files.createDirectory(directory);
    // The server stands in the directory that is gone; this one is another.
    server.call("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
    assertIsServed();
  }

  private void saveUntil(String status) {
    Eventually.until(
        "the last save is " + status,
        () -> {
          Throwable underWay = catchThrowable(() -> server.call("BGSAVE"));
          return underWay == null
              && server
                  .call("INFO", "persistence")
                  .toString()
                  .contains("rdb_last_bgsave_status:" + status);
        });
  }

  @Test
  void a_server_that_is_busy_with_a_script_had_no_effect_and_serves_when_that_is_killed() {
    start("--lua-time-limit", "50");
    try (RedisWire endless = server.connect()) {
      endless.send("EVAL", "while true do end", "0");
      Eventually.until("it is busy", () -> catchThrowable(() -> server.call("PING")) != null);
      assertMayBeRepeated("BUSY");
      server.call("SCRIPT", "KILL");
    }
    assertIsServed();
  }

  @Test
  void a_server_that_is_full_grants_nothing_new_but_renews_releases_and_hands_over()
      throws Exception {
    start();
    Lease held = holdfast.lock("held").acquire(LONG);
    var waiter = clients.open(server.hostAndPort(), LEASE).lock("held").async().tryAcquire(LONG);
    Clients.awaitWaiters(holdfast, "held", 1);
    server.call("CONFIG", "SET", "maxmemory", "1");
    assertMayBeRepeated("OOM");
    held.renew();
    assertThat(held.release()).isTrue();
    Lease next = waiter.get(30, TimeUnit.SECONDS).orElseThrow();
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    assertThat(next.release()).isTrue();
    server.call("CONFIG", "SET", "maxmemory", "0");
    assertIsServed();
  }

  @Test
  void a_primary_that_has_become_a_replica_had_no_effect_and_serves_as_a_primary_again() {
    start();
    try (RedisServer other = RedisServer.start()) {
      server.call("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
      BackendException first = failure();
      assertThat(first).hasMessageContaining("READONLY");
      assertThat(first.outcome()).isEqualTo(Outcome.NOT_APPLIED);
      // Then it looks again where the primary is, and finds none.
      Eventually.until("it is known", () -> failure().toString().contains("a replica"));
      server.call("REPLICAOF", "NO", "ONE");
      assertIsServed();
    }
  }

  @Test
  void a_user_that_may_not_touch_the_keys_is_refused_until_somebody_mends_it() {
    server = RedisServer.start();
    server.call("ACL", "SETUSER", "limited", "on", ">p", "~hf:*", "&*", "+@all");
    holdfast = clients.openAt("redis://limited:p@" + server.hostAndPort() + "?timeout=2s", LEASE);
    assertRefused("NOPERM");
    server.call("ACL", "SETUSER", "limited", "~*");
    assertIsServed();
  }

  @Test
  void a_user_that_may_not_call_a_command_of_a_script_is_refused_until_somebody_mends_it() {
    server = RedisServer.start();
    server.call("ACL", "SETUSER", "limited", "on", ">p", "~*", "&*", "+@all", "-exists");
    holdfast = clients.openAt("redis://limited:p@" + server.hostAndPort() + "?timeout=2s", LEASE);
    assertRefused("can't run this command");
    server.call("ACL", "SETUSER", "limited", "+exists");
    assertIsServed();
  }

  @Test
  void a_user_that_may_not_hear_or_send_messages_is_refused_at_the_start() {
    start();
    server.call("ACL", "SETUSER", "deaf", "on", ">p", "~*", "+@all", "resetchannels");
    server.call("ACL", "SETUSER", "mute", "on", ">p", "~*", "&*", "+@all", "-publish");
    for (String user : new String[] {"deaf", "mute"}) {
      String address = "redis://" + user + ":p@" + server.hostAndPort() + "?timeout=2s";
      BackendException refusal =
          catchThrowableOfType(BackendException.class, () -> clients.openAt(address, LEASE));
      assertThat(refusal).as(user).isNotNull();
      assertThat(refusal.isTransient()).isFalse();
    }
  }

  @Test
  void a_key_of_another_type_is_refused_and_left_alone() {
    start();
    server.call("RPUSH", "lock:n", "of somebody else");
    assertRefused("WRONGTYPE");
    server.call("DEL", "lock:n");
    assertIsServed();
  }

  private BackendException failure() {
    BackendException failure =
        catchThrowableOfType(BackendException.class, () -> holdfast.lock("n").tryAcquire());
    assertThat(failure).isNotNull();
    return failure;
  }

  private void assertMayBeRepeated(String code) {
    BackendException failure = failure();
    assertThat(failure).hasMessageContaining(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(failure.isTransient()).isTrue();
  }

  private void assertRefused(String code) {
    BackendException failure = failure();
    assertThat(failure).hasMessageContaining(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(failure.isTransient()).isFalse();
  }

  private void assertIsServed() {
    List<BackendException> failures = new ArrayList<>();
    Eventually.until("it serves", () -> isServed(failures));
    assertThat(server.call("GET", "lock:n")).isEqualTo(RedisWire.NIL);
  }
}
