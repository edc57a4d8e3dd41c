// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of leases, waiters and tokens when sessions, servers and clients end or stand still.
 */
@Tag("postgresql")
class FaultsTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String ADVISORY = "mode=advisory&session=10s";
  private static final String LEASED = "mode=lease";
  private static final String SESSIONS =
      " FROM pg_stat_activity WHERE application_name = 'holdfast'";

  private Database database;

  @BeforeEach
  void start() {
    database = new Database();
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** Waits behind the holder; in a client of its own. */
  private CompletableFuture<Optional<Lease>> waiter(String mode) {
    Holdfast client = database.client(mode, LEASE);
    CompletableFuture<Optional<Lease>> waiter = client.lock("n").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> client.inspect("n").waiters().size() == 1);
    return waiter;
  }

  private static Lease granted(CompletableFuture<Optional<Lease>> waiter) throws Exception {
    return waiter.get(60, TimeUnit.SECONDS).orElseThrow();
  }

  private static LossCause loss(Lease lease) throws Exception {
    return lease.loss().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** Ends the sessions of Holdfast. */
  private void terminate() {
    database.run("SELECT pg_terminate_backend(pid)" + SESSIONS);
  }

  private static void acquireAndRelease(Holdfast client) {
    Eventually.until(
        "the lock can be taken",
        () -> {
          try {
            return client.lock("n").acquire(LONG).release();
          } catch (BackendException notYet) {
            return false;
          } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
          }
        });
  }

  @Test
  void the_end_of_its_session_ends_an_advisory_lease_although_the_line_is_idle() throws Exception {
    Holdfast holder = database.client(ADVISORY, LEASE);
    Lease held = holder.lock("n").acquire(LONG);
    Lease unrenewed = holder.lock("m").withoutRenewal().acquire(LONG);
    database.run("CREATE TABLE sessions_of_holder AS SELECT pid" + SESSIONS);
    CompletableFuture<Optional<Lease>> waiter = waiter(ADVISORY);
    // Not those of the waiter: they might end when it has just been granted the lock.
    database.run("SELECT pg_terminate_backend(pid) FROM sessions_of_holder");
    assertThat(loss(held)).isEqualTo(LossCause.GONE);
    assertThat(loss(unrenewed)).isIn(LossCause.GONE, LossCause.EXPIRED);
    assertThat(held.isHeld()).isFalse();
    Lease next = granted(waiter);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    next.release();
    acquireAndRelease(holder);
  }

  @Test
  void the_end_of_its_connections_does_not_end_a_lease_in_the_table() throws Exception {
    Holdfast holder = database.client(LEASED, LEASE);
    Lease held = holder.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(LEASED);
    terminate();
    Eventually.untilRenewed(held);
    assertThat(held.isHeld()).isTrue();
    assertThat(waiter.isDone()).isFalse();
    Eventually.until("it is released", () -> isReleased(held));
    assertThat(granted(waiter).token().isNewerThan(held.token())).isTrue();
  }

  private static boolean isReleased(Lease lease) {
    try {
      return lease.release();
    } catch (BackendException notYet) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ADVISORY, LEASED})
  void after_a_stop_and_a_start_of_the_server_waiters_get_on_and_tokens_grow(String mode)
      throws Exception {
    Lease held = database.client(mode, LEASE).lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(mode);
    database.server().stop();
    LossCause cause = loss(held);
    assertThat(cause).isIn(LossCause.GONE, LossCause.UNREACHABLE);
    assertThat(held.isHeld()).isFalse();
    database.server().restart();
    Lease next = granted(waiter);
    assertThat(next.token().isNewerThan(held.token())).isTrue();
  }

  @Test
  void a_lease_in_the_table_survives_a_crash_of_the_server() throws Exception {
    Lease held = database.client(LEASED, Duration.ofSeconds(30)).lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(LEASED);
    database.server().crash();
    database.server().restart();
    Eventually.pass(Duration.ofSeconds(2));
    assertThat(held.isHeld()).isTrue();
    assertThat(waiter.isDone()).isFalse();
    Eventually.until("it is released", () -> isReleased(held));
    assertThat(granted(waiter).token().isNewerThan(held.token())).isTrue();
  }

  /** The record of the sequence is still in memory when the server crashes, as grants are. */
  @Test
  void tokens_grow_after_a_crash_although_the_newest_were_on_no_disk() throws Exception {
    Holdfast client = database.client(ADVISORY, LEASE);
    client.lock("n").acquire(LONG).release();
    database.run("ALTER SYSTEM SET wal_writer_delay = '10s'");
    database.run("SELECT pg_reload_conf()");
    database.run("CHECKPOINT");
    database.run(
        "SET synchronous_commit = off; SELECT nextval('holdfast.token') FROM generate_series(1,"
            + " 2000)");
    Lease newest = client.lock("n").acquire(LONG);
    database.server().crash();
    database.server().restart();
    Lease next = database.client(ADVISORY, LEASE).lock("n").acquire(LONG);
    assertThat(next.token().isNewerThan(newest.token())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {ADVISORY, LEASED})
  void a_holder_that_was_killed_does_not_keep_its_lock(String mode) throws Exception {
    try (HolderProcess holder = new HolderProcess(database.address(mode), "n", LEASE)) {
      long token = holder.token();
      CompletableFuture<Optional<Lease>> waiter = waiter(mode);
      holder.kill();
      assertThat(granted(waiter).token().value()).isGreaterThan(token);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ADVISORY, LEASED})
  void a_holder_that_is_stopped_loses_its_lock_and_knows_when_it_wakes(String mode)
      throws Exception {
    try (HolderProcess holder = new HolderProcess(database.address(mode), "n", LEASE)) {
      long token = holder.token();
      CompletableFuture<Optional<Lease>> waiter = waiter(mode);
      holder.signal("STOP");
      Lease next = granted(waiter);
      assertThat(next.token().value()).isGreaterThan(token);
      holder.signal("CONT");
      assertThat(holder.say()).startsWith("held=false");
      Eventually.until("it was told", () -> said(holder).equals("held=false lost=true"));
      assertThat(next.release()).isTrue();
    }
  }

  private static String said(HolderProcess holder) {
    try {
      return holder.say();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ADVISORY, LEASED})
  void a_client_that_cannot_reach_the_server_loses_its_lease_before_the_next_one_gets_it(
      String mode) throws Exception {
    try (FaultyProxy network = new FaultyProxy(database.server().port())) {
      String address = "postgresql://postgres@" + network.hostAndPort() + "/postgres?" + mode;
      Holdfast behind = database.client(BackendProvider.backendAt(address), LEASE);
      Lease held = behind.lock("n").acquire(LONG);
      CompletableFuture<Optional<Lease>> waiter = waiter(mode);
      network.loseEverything();
      Lease next = granted(waiter);
      assertThat(held.isHeld()).isFalse();
      assertThat(next.token().isNewerThan(held.token())).isTrue();
      network.heal();
      network.cut();
      next.release();
      acquireAndRelease(behind);
    }
  }

  @Test
  void a_session_that_was_given_up_is_ended_as_soon_as_the_server_can_be_reached()
      throws Exception {
    try (FaultyProxy network = new FaultyProxy(database.server().port())) {
      String address =
          "postgresql://postgres@" + network.hostAndPort() + "/postgres?mode=advisory&session=10m";
      Holdfast behind = database.client(BackendProvider.backendAt(address), LEASE);
      behind.lock("n").acquire(LONG);
      network.strand();
      Holdfast other = database.client(ADVISORY, LEASE);
      Eventually.until("it is free", () -> other.lock("n").tryAcquire().isPresent());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {ADVISORY, LEASED})
  void a_server_that_stands_still_ends_the_lease_and_serves_again(String mode) throws Exception {
    Lease held = database.client(mode, LEASE).lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = waiter(mode);
    database.server().pause();
    loss(held);
    assertThat(held.isHeld()).isFalse();
    assertThat(waiter.isDone()).isFalse();
    database.server().resume();
    assertThat(granted(waiter).token().isNewerThan(held.token())).isTrue();
  }

  @Test
  void a_request_that_nobody_waits_for_takes_no_effect_when_the_server_wakes_up() throws Exception {
    Holdfast client = database.client("mode=lease&timeout=2s", Duration.ofMinutes(10));
    client.lock("n").acquire(LONG).release();
    database.server().pause();
    CompletableFuture<Optional<Lease>> asked = client.lock("n").async().tryAcquire();
    Eventually.until("the request has failed", asked::isCompletedExceptionally);
    client.close(); // So that no release of its own undoes what the request has done.
    database.server().resume();
    Holdfast other = database.client(LEASED, LEASE);
    Eventually.until("nothing is held", () -> other.list("", 10).isEmpty());
    assertThat(other.lock("n").acquire(LONG).isHeld()).isTrue();
  }
}
