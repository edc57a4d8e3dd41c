// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What operations cost, in the server's own count of statements. */
@Tag("postgresql")
class CountsTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(5);

  private Database database;

  @BeforeEach
  void start() {
    database =
        new Database("shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=top");
    assertThat(
            database.number(
                "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'"))
        .as("pg_stat_statements is installed: it is part of postgresql-contrib")
        .isEqualTo(1);
    database.run("CREATE EXTENSION pg_stat_statements");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  /** Statements of this kind so far. */
  private long count(String... words) {
    StringBuilder sql =
        new StringBuilder("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE false");
    for (String word : words) {
      sql.append(" OR query LIKE '%").append(word).append("%'");
    }
    return database.number(sql.toString());
  }

  private long acquires() {
    return count("lease_acquire(", "pg_try_advisory_lock(key)");
  }

  private long releases() {
    return count("lease_release(", "AS was_ours");
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void an_uncontended_acquire_and_release_is_two_statements(String mode) throws Exception {
    Holdfast holdfast = database.client("mode=" + mode, LEASE);
    holdfast.lock("warm").acquire(LONG).release();
    long acquires = acquires();
    long releases = releases();
    for (int round = 0; round < 50; round++) {
      holdfast.lock("free").tryAcquire().orElseThrow().release();
      holdfast.lock("free").acquire(LONG).release();
    }
    System.out.printf(
        "%s: %d acquires and %d releases for 100 uncontended pairs%n",
        mode, acquires() - acquires, releases() - releases);
    assertThat(acquires() - acquires).isEqualTo(100);
    assertThat(releases() - releases).isEqualTo(100);
  }

  /** A hand-over costs the release; in advisory mode also the request of whoever is woken. */
  @ParameterizedTest
  @CsvSource({"advisory, 1", "lease, 0"})
  void a_hand_over_is_one_release_and_in_advisory_mode_one_acquire(String mode, int more)
      throws Exception {
    Holdfast holder = database.client("mode=" + mode, LEASE);
    Lease held = holder.lock("hot").acquire(LONG);
    List<Long> tokens = new CopyOnWriteArrayList<>(List.of(held.token().value()));
    List<CompletableFuture<Void>> waiters = new ArrayList<>();
    for (int place = 0; place < 10; place++) {
      Holdfast client = database.client("mode=" + mode, LEASE);
      // Whichever is served: in advisory mode a waiter that asks may overtake the one that is
      // woken.
      waiters.add(
          client
              .lock("hot")
              .async()
              .tryAcquire(LONG)
              .thenAcceptAsync(granted -> noteAndRelease(granted.orElseThrow(), tokens)));
      int count = place + 1;
      Eventually.until("they wait", () -> holder.inspect("hot").waiters().size() == count);
    }
    Eventually.pass(Duration.ofMillis(500)); // The newest has looked once more.
    long acquires = acquires();
    long releases = releases();
    long begin = System.nanoTime();
    held.release();
    for (CompletableFuture<Void> waiter : waiters) {
      waiter.get(60, TimeUnit.SECONDS);
    }
    assertThat(tokens).hasSize(11).isSorted().doesNotHaveDuplicates();
    long asked = acquires() - acquires;
    System.out.printf(
        "%s: %d releases and %d acquires for 10 hand-overs%n", mode, releases() - releases, asked);
    assertThat(releases() - releases).isEqualTo(11);
    // Besides those, each of the ten asks now and then, on a slow machine more often than on a
    // fast.
    long polls = 10 * (1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) / 2);
    assertThat(asked).isLessThanOrEqualTo(10L * more + polls);
  }

  private static void noteAndRelease(Lease lease, List<Long> tokens) {
    tokens.add(lease.token().value());
    lease.release();
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void many_leases_are_renewed_in_few_statements(String mode) throws Exception {
    Duration leaseTime = Duration.ofSeconds(20);
    Holdfast holdfast = database.client("mode=" + mode, leaseTime);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      leases.add(holdfast.lock("lease/" + i).acquire(LONG));
    }
    long began = System.nanoTime();
    long before = count("lease_renew(", "forced.forced IS NOT NULL");
    Lease newest = leases.get(leases.size() - 1);
    Eventually.untilRenewed(newest);
    long renewals = count("lease_renew(", "forced.forced IS NOT NULL") - before;
    // A lease falls due three times in a lease time; a slow machine makes the time longer.
    long due = 500 * (1 + 3 * (System.nanoTime() - began) / leaseTime.toNanos());
    System.out.printf("%s: %d statements renewed %d leases%n", mode, renewals, due);
    assertThat(leases).allMatch(Lease::isHeld);
    assertThat(renewals).isBetween(1L, due / 4);
  }

  @Test
  void requests_that_come_together_share_a_statement() throws Exception {
    Holdfast holdfast = database.client("mode=advisory", LEASE);
    holdfast.lock("warm").acquire(LONG).release();
    long acquires = acquires();
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      asked.add(holdfast.lock("many/" + i).async().tryAcquire());
    }
    for (CompletableFuture<Optional<Lease>> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isPresent();
    }
    System.out.printf(
        "advisory: %d statements for 2,000 acquires at once%n", acquires() - acquires);
    assertThat(acquires() - acquires).isLessThan(1000);
  }
}
