// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transaction that stays open keeps one lock or row to itself: the others must not suffer. */
@Tag("postgresql")
class LockedRowTest {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String ALIVE = "state = 1 AND until > clock_timestamp()";
  private static final int MANY = 1200; // More than one statement renews.

  private Database database;
  private Connection other;

  @BeforeEach
  void start() throws SQLException {
    database = new Database();
    other = database.connect();
    other.setAutoCommit(false);
  }

  @AfterEach
  void stop() throws SQLException {
    other.close();
    database.close();
  }

  /** In the transaction that stays open. */
  private void keep(String sql) throws SQLException {
    try (Statement statement = other.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<CompletableFuture<Optional<Lease>>> askForMany(Holdfast client, int count) {
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(client.lock("lock/" + i).async().tryAcquire());
    }
    return asked;
  }

  private static List<Lease> granted(List<CompletableFuture<Optional<Lease>>> asked)
      throws Exception {
    List<Lease> leases = new ArrayList<>();
    for (CompletableFuture<Optional<Lease>> each : asked) {
      leases.add(each.get(120, TimeUnit.SECONDS).orElseThrow());
    }
    return leases;
  }

  @Test
  void the_other_leases_are_renewed() throws Exception {
    Holdfast client = database.client("mode=lease", LEASE);
    List<Lease> leases = granted(askForMany(client, MANY));
    database.run("CREATE TABLE before AS SELECT max(until) AS until FROM holdfast.lease");
    keep("SELECT FROM holdfast.lease WHERE name = 'lock/7' FOR UPDATE");
    String renewed = "SELECT count(*) FROM holdfast.lease, before WHERE lease.until > before.until";
    Eventually.until("the others are renewed", () -> database.number(renewed) == MANY - 1);
    for (Lease lease : leases) {
      assertThat(lease.isHeld() || lease.name().equals("lock/7")).as(lease.name()).isTrue();
    }
  }

  @Test
  void the_locked_one_is_renewed_if_it_is_unlocked_in_time() throws Exception {
    Holdfast client = database.client("mode=lease", Duration.ofMinutes(2));
    List<Lease> leases = granted(askForMany(client, 10));
    database.run("CREATE TABLE before AS SELECT max(until) AS until FROM holdfast.lease");
    keep("SELECT FROM holdfast.lease WHERE name = 'lock/7' FOR UPDATE");
    Lease locked = leases.get(7);
    CompletableFuture<Void> renewal =
        CompletableFuture.runAsync(
            () -> Eventually.until("it is renewed by hand", () -> isRenewed(locked)));
    assertThat(isRenewed(leases.get(8))).isTrue();
    other.rollback();
    renewal.get(120, TimeUnit.SECONDS);
    assertThat(locked.isHeld()).isTrue();
  }

  private static boolean isRenewed(Lease lease) {
    try {
      lease.renew();
      return true;
    } catch (BackendException notYet) {
      return false;
    }
  }

  @Test
  void the_other_locks_are_acquired_and_the_locked_one_is_not_applied() throws Exception {
    Holdfast client = database.client("mode=lease", LONG);
    keep("SELECT holdfast.lease_enter('lock/50')");
    List<CompletableFuture<Optional<Lease>>> asked = askForMany(client, 300);
    CompletableFuture<Optional<Lease>> locked = asked.remove(50);
    assertThat(granted(asked)).hasSize(299).allMatch(Lease::isHeld);
    assertNotApplied(catchThrowable(() -> locked.get(120, TimeUnit.SECONDS)));
    CompletableFuture<Optional<Lease>> waits = client.lock("lock/50").async().tryAcquire(LONG);
    other.rollback();
    assertThat(waits.get(120, TimeUnit.SECONDS)).isPresent();
  }

  @Test
  void the_other_locks_are_released_although_a_waiter_s_row_is_locked() throws Exception {
    Holdfast client = database.client("mode=lease", LONG);
    List<Lease> leases = granted(askForMany(client, 60));
    Holdfast next = database.client("mode=lease", LONG);
    CompletableFuture<Optional<Lease>> waiter = next.lock("lock/50").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> client.inspect("lock/50").waiters().size() == 1);
    keep("SELECT FROM holdfast.lease WHERE name = 'lock/50' AND state = 0 FOR UPDATE");
    ExecutorService threads = Executors.newFixedThreadPool(60);
    try {
      List<CompletableFuture<Boolean>> releases = new ArrayList<>();
      leases.forEach(lease -> releases.add(CompletableFuture.supplyAsync(lease::release, threads)));
      CompletableFuture<Boolean> locked = releases.remove(50);
      for (CompletableFuture<Boolean> each : releases) {
        assertThat(each.get(120, TimeUnit.SECONDS)).isTrue();
      }
      other.rollback();
      assertThat(catchThrowable(() -> locked.get(120, TimeUnit.SECONDS)))
          .satisfiesAnyOf(failure -> assertThat(failure).isNull(), LockedRowTest::assertNotApplied);
      assertThat(waiter.get(120, TimeUnit.SECONDS)).isPresent();
    } finally {
      threads.shutdown();
    }
  }

  /** It cannot be told from one that is being renewed. */
  @Test
  void a_lock_whose_ended_lease_is_locked_is_granted_when_that_is_unlocked() throws Exception {
    Holdfast client = database.client("mode=lease", LONG);
    granted(askForMany(client, 1));
    database.run("UPDATE holdfast.lease SET until = clock_timestamp() WHERE name = 'lock/0'");
    keep("SELECT FROM holdfast.lease WHERE name = 'lock/0' FOR UPDATE");
    Holdfast next = database.client("mode=lease", LONG);
    assertThat(next.lock("lock/0").tryAcquire()).isEmpty();
    CompletableFuture<Optional<Lease>> waits = next.lock("lock/0").async().tryAcquire(LONG);
    Eventually.until("it waits", () -> client.inspect("lock/0").waiters().size() == 1);
    other.rollback();
    assertThat(waits.get(120, TimeUnit.SECONDS)).isPresent();
  }

  /** As one whose commit waits for a disk or a standby. */
  @Test
  void a_lock_whose_lease_ends_while_its_renewal_is_not_committed_is_not_granted()
      throws Exception {
    Holdfast client = database.client("mode=lease", LONG);
    granted(askForMany(client, 1));
    Holdfast next = database.client("mode=lease", LONG);
    database.run("UPDATE holdfast.lease SET until = clock_timestamp() + interval '5 seconds'");
    keep(
        "SELECT holdfast.lease_renew(array_agg(name), array_agg(holder), '{300000000}')"
            + " FROM holdfast.lease");
    Eventually.until(
        "the lease is over, unless its renewal is committed",
        () -> database.number("SELECT count(*) FROM holdfast.lease WHERE " + ALIVE) == 0);
    CompletableFuture<Optional<Lease>> waits = next.lock("lock/0").async().tryAcquire(LONG);
    assertThat(next.lock("lock/0").tryAcquire()).isEmpty();
    other.commit();
    assertThat(next.lock("lock/0").tryAcquire()).isEmpty();
    assertThat(database.number("SELECT count(*) FROM holdfast.lease WHERE " + ALIVE)).isOne();
    assertThat(waits).isNotDone();
  }

  private static void assertNotApplied(Throwable failure) {
    assertThat(failure)
        .cause()
        .isInstanceOfSatisfying(
            BackendException.class,
            known -> assertThat(known.outcome()).isEqualTo(Outcome.NOT_APPLIED))
        .hasMessageContaining("open transaction");
  }
}
