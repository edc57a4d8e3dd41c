// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A standby keeps no locks; the one that takes over does. */
@Tag("postgresql")
class StandbyTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(2);

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_standby_is_refused_and_after_a_fail_over_waiters_get_on_and_tokens_grow(String mode)
      throws Exception {
    try (Database database = new Database()) {
      Holdfast.connect(database.address("mode=" + mode)).close();
      try (PostgresServer standby = database.server().startStandby()) {
        String parameters = "/postgres?mode=" + mode;
        Throwable refused =
            catchThrowable(
                () ->
                    Holdfast.connect(
                            "postgresql://postgres@"
                                + standby.hostAndPort()
                                + parameters
                                + "&targetServerType=any")
                        .close());
        assertThat(refused).isInstanceOf(BackendException.class).hasMessageContaining("standby");

        String both =
            "postgresql://postgres@"
                + database.server().hostAndPort()
                + ","
                + standby.hostAndPort()
                + parameters
                + "&session=10s";
        Holdfast one = database.client(BackendProvider.backendAt(both), LEASE);
        Holdfast other = database.client(BackendProvider.backendAt(both), LEASE);
        Lease held = one.lock("n").acquire(LONG);
        CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
        Eventually.until("it waits", () -> one.inspect("n").waiters().size() == 1);
        database.server().stop();
        standby.promote();
        if (mode.equals("lease")) {
          Eventually.until("it is released", () -> isOver(held));
        }
        Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        // In advisory mode there may have been two holders for a moment, as its guarantees say.
        Eventually.until("the old holder knows", () -> !held.isHeld());
      }
    }
  }

  /**
   * One value of 33 of the sequence is logged, and a grant waits for nothing: while a session waits
   * for the standby, others are granted tokens that the standby has not heard of.
   */
  @Test
  void tokens_grow_after_a_fail_over_although_the_standby_had_not_heard_of_the_newest()
      throws Exception {
    try (Database database = new Database()) {
      Holdfast client = database.client("mode=advisory&session=30s", LEASE);
      try (PostgresServer standby = database.server().startStandby()) {
        database.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
        database.run("SELECT pg_reload_conf()");
        Eventually.until(
            "the standby is synchronous",
            () ->
                database.number(
                        "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                    == 1);
        client.lock("n").acquire(LONG).release();
        standby.crash();
        CompletableFuture<Void> waiting =
            CompletableFuture.runAsync(() -> takeTokens(database, WITHIN_ONE_RECORD));
        Eventually.until(
            "a session waits for the standby",
            () ->
                database.number(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                    == 1);
        Lease unheard = client.lock("n").acquire(LONG);
        assertThat(waiting.isDone()).isFalse();
        database.server().crash();
        standby.restart();
        standby.promote();
        assertThat(waiting).failsWithin(Duration.ofMinutes(1));
        String address = "postgresql://postgres@" + standby.hostAndPort() + "/postgres?";
        Holdfast next =
            database.client(BackendProvider.backendAt(address + "mode=advisory"), LEASE);
        assertThat(next.lock("n").acquire(LONG).token().isNewerThan(unheard.token())).isTrue();
      }
    }
  }

  /** As many as are sure to have a record among them. */
  private static final int WITHIN_ONE_RECORD = 40;

  private static void takeTokens(Database database, int count) {
    for (int i = 0; i < count; i++) {
      database.number("SELECT nextval('holdfast.token')");
    }
  }

  private static boolean isOver(Lease lease) {
    try {
      lease.release();
      return true;
    } catch (BackendException notYet) {
      return false;
    }
  }
}
