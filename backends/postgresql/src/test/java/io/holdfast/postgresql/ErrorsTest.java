// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Address;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server's errors mean: whether something happened, and what to do. */
@Tag("postgresql")
class ErrorsTest {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(1);

  private static Database database;

  @BeforeAll
  static void start() {
    database = new Database("max_connections=200");
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @AfterEach
  void mend() {
    for (String table : new String[] {"lease", "advisory"}) {
      database.run(
          "DO $$ BEGIN IF to_regclass('holdfast."
              + table
              + "') IS NOT NULL THEN DROP TRIGGER IF EXISTS fail ON holdfast."
              + table
              + "; END IF; END $$");
    }
  }

  /** From now on whoever writes to the table of this mode fails, after the lock was granted. */
  private static void failWith(String mode, String action) {
    database.run(
        "CREATE OR REPLACE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            + action
            + "; RETURN NULL; END $$");
    database.run(
        "CREATE TRIGGER fail AFTER INSERT ON holdfast."
            + mode
            + " FOR EACH ROW EXECUTE FUNCTION public.fail()");
  }

  private static DistributedLock lock(Holdfast holdfast, String mode) {
    DistributedLock lock = holdfast.lock("n");
    return mode.equals("advisory") ? lock.shared() : lock;
  }

  private static BackendException failure(CompletableFuture<?> asked) throws Exception {
    try {
      asked.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof BackendException failure) {
        return failure;
      }
      throw failed;
    }
    throw new AssertionError("it should have failed");
  }

  @ParameterizedTest
  @CsvSource({
    "advisory, 40P01, deadlock",
    "lease, 40P01, deadlock",
    "advisory, 40001, serialization",
    "lease, 40001, serialization",
    "advisory, 53100, disk",
    "lease, 53100, disk",
    "advisory, 57014, timeout=4000ms",
    "lease, 57014, statement_timeout"
  })
  void an_error_had_no_effect_and_what_was_granted_by_the_way_is_given_back(
      String mode, String state, String word) throws Exception {
    Holdfast one = database.client("mode=" + mode, LEASE);
    Holdfast other = database.client("mode=" + mode, LEASE);
    Lease kept = one.lock("kept").acquire(LONG);
    failWith(mode, "RAISE EXCEPTION 'for a test' USING ERRCODE = '" + state + "'");
    // One that is shared has its row at once.
    BackendException failure = failure(lock(one, mode).async().tryAcquire());
    assertThat(failure).hasMessageContaining(word);
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(failure.isTransient()).isTrue();
    mend();
    assertThat(other.lock("n").tryAcquire().orElseThrow().release()).isTrue();
    assertThat(kept.isHeld()).isTrue();
    assertThat(kept.release()).isTrue();
  }

  @Test
  void a_statement_that_takes_too_long_gives_back_what_it_was_granted() throws Exception {
    Holdfast one = database.client("mode=advisory&timeout=1s", LEASE);
    Holdfast other = database.client("mode=advisory", LEASE);
    Lease kept = one.lock("kept").acquire(LONG);
    failWith("advisory", "PERFORM pg_sleep(30)");
    BackendException failure = failure(lock(one, "advisory").async().tryAcquire());
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
    assertThat(failure)
        .hasMessageContaining("did not answer within three quarters of timeout=1000ms")
        .hasMessageNotContaining("role");
    mend();
    assertThat(other.lock("n").tryAcquire().orElseThrow().release()).isTrue();
    assertThat(kept.release()).isTrue();
  }

  @Test
  void a_time_out_of_the_role_is_told_from_that_of_the_address() throws Exception {
    database.client("mode=lease", LEASE);
    database.run("CREATE ROLE hasty LOGIN SUPERUSER");
    String address = database.address("mode=lease").replace("postgres@", "hasty@");
    database.run("ALTER ROLE hasty SET statement_timeout = '1s'");
    try (Holdfast hasty = Holdfast.connect(address)) {
      failWith("lease", "PERFORM pg_sleep(30)");
      BackendException failure = failure(hasty.lock("n").async().tryAcquire());
      assertThat(failure).hasMessageContaining("statement_timeout of this role or server");
    }
  }

  @Test
  void a_row_that_somebody_keeps_locked_is_a_failure_in_bounded_time() throws Exception {
    Holdfast one = database.client("mode=lease", LEASE);
    try (Connection stranger = database.connect();
        Statement statement = stranger.createStatement()) {
      stranger.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock(1212630083, hashtext('stuck'))");
      BackendException failure = failure(one.lock("stuck").async().tryAcquire());
      assertThat(failure).hasMessageContaining("open transaction");
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
      stranger.rollback();
    }
    assertThat(one.lock("stuck").tryAcquire()).isPresent();
  }

  @Test
  void a_snapshot_that_is_older_than_the_mutex_is_refused() throws Exception {
    database.run("CREATE ROLE repeatable LOGIN SUPERUSER");
    database.run("ALTER ROLE repeatable SET default_transaction_isolation = 'repeatable read'");
    database.client("mode=lease", LEASE);
    String address = database.address("mode=lease").replace("postgres@", "repeatable@");
    try (Holdfast holdfast = Holdfast.connect(address)) {
      BackendException failure = failure(holdfast.lock("n").async().tryAcquire());
      assertThat(failure).hasMessageContaining("default_transaction_isolation");
      assertThat(failure.isTransient()).isFalse();
    }
  }

  @Test
  void two_names_with_one_key_are_told_apart() throws Exception {
    Address address = Address.parse(database.address("mode=advisory"));
    Holdfast one =
        database.client(
            new AdvisoryBackend(PostgresSettings.of(address), Connections.of(address), name -> 42),
            LEASE);
    Holdfast other =
        database.client(
            new AdvisoryBackend(PostgresSettings.of(address), Connections.of(address), name -> 42),
            LEASE);
    Lease lease = one.lock("first").acquire(LONG);
    BackendException failure = failure(other.lock("second").async().tryAcquire(LONG));
    assertThat(failure)
        .hasMessageContaining("'second' and 'first'")
        .hasMessageContaining("64-bit key");
    assertThat(failure.isTransient()).isFalse();
    assertThat(other.lock("first").tryAcquire()).isEmpty();
    lease.release();
    assertThat(other.lock("second").tryAcquire().orElseThrow().release()).isTrue();
  }

  @Test
  void a_server_with_no_connection_left_is_a_failure_that_had_no_effect() throws Exception {
    try (Database small = new Database("max_connections=5", "superuser_reserved_connections=0")) {
      Connection[] all = new Connection[5];
      for (int i = 0; i < all.length; i++) {
        all[i] = small.connect();
      }
      Throwable failure =
          catchThrowable(() -> Holdfast.connect(small.address("mode=lease")).close());
      assertThat(failure)
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("max_connections");
      for (Connection each : all) {
        each.close();
      }
    }
  }
}
