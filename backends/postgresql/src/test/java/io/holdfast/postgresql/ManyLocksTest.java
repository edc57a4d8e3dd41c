// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many locks, many waiters, and a server that has room for no more. */
@Tag("postgresql")
class ManyLocksTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String SESSIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'";

  @Test
  void ten_thousand_locks_use_four_connections_and_a_thousand_waiting_threads_no_more()
      throws Exception {
    try (Database database = new Database("max_locks_per_transaction=256")) {
      Holdfast holdfast = database.client("mode=advisory&session=5m&timeout=4s", LONG);
      List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        asked.add(holdfast.lock("lock/" + i).async().tryAcquire(LONG));
      }
      for (CompletableFuture<Optional<Lease>> each : asked) {
        assertThat(each.get(120, TimeUnit.SECONDS)).isPresent();
      }
      assertThat(
              database.number(
                  "SELECT count(DISTINCT pid) FROM pg_locks WHERE locktype = 'advisory'"))
          .isEqualTo(4);
      // Besides the presence of each session.
      assertThat(database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
          .isEqualTo(10_004);
      int threads = Thread.activeCount();
      List<Thread> waiters = startWaiters(holdfast, 1000);
      Eventually.pass(Duration.ofSeconds(1));
      assertThat(database.number(SESSIONS)).isEqualTo(5); // Four hold, one listens.
      assertThat(Thread.activeCount()).isLessThan(threads + 1000 + 20);
      waiters.forEach(Thread::interrupt);
      for (Thread waiter : waiters) {
        waiter.join(60_000);
        assertThat(waiter.isAlive()).isFalse();
      }
    }
  }

  private static List<Thread> startWaiters(Holdfast holdfast, int count) {
    List<Thread> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "lock/" + i;
      Thread waiter =
          new Thread(
              () -> {
                try {
                  var unused = holdfast.lock(name).tryAcquire(LONG);
                } catch (InterruptedException ended) {
                  // By the test.
                }
              });
      waiter.setDaemon(true);
      waiter.start();
      waiters.add(waiter);
    }
    return waiters;
  }

  @Test
  void a_full_lock_table_is_a_typed_error_that_names_the_setting_and_keeps_what_was_granted()
      throws Exception {
    try (Database database = new Database("max_locks_per_transaction=10", "max_connections=12")) {
      Holdfast holdfast = database.client("mode=advisory&session=30s", Duration.ofSeconds(30));
      List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        asked.add(holdfast.lock("lock/" + i).async().tryAcquire());
      }
      List<Lease> held = new ArrayList<>();
      List<Throwable> failures = new ArrayList<>();
      for (CompletableFuture<Optional<Lease>> each : asked) {
        try {
          each.get(120, TimeUnit.SECONDS).ifPresent(held::add);
        } catch (ExecutionException failed) {
          failures.add(failed.getCause());
        }
      }
      assertThat(held).isNotEmpty().allMatch(Lease::isHeld);
      assertThat(failures)
          .isNotEmpty()
          .allSatisfy(
              failure ->
                  assertThat(failure)
                      .isInstanceOf(BackendException.class)
                      .hasMessageContaining("max_locks_per_transaction"));
      assertThat(((BackendException) failures.get(0)).outcome()).isEqualTo(Outcome.NOT_APPLIED);
      held.subList(0, held.size() / 2).forEach(Lease::release);
      // What failed is not held by the way: the server has what we have, beside the presences.
      assertThat(
              database.number(
                  "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid <> "
                      + AdvisorySession.PRESENCE))
          .isEqualTo(held.size() - held.size() / 2);
      assertThat(holdfast.lock("another").tryAcquire()).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void while_a_hundred_wait_an_index_is_built_concurrently_and_nobody_holds_back_the_horizon(
      String mode) throws Exception {
    try (Database database = new Database()) {
      database.run("CREATE TABLE data AS SELECT generate_series(1, 1000) AS n");
      Holdfast holder = database.client("mode=" + mode, Duration.ofSeconds(30));
      Lease held = holder.lock("hot").acquire(LONG);
      List<Holdfast> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        clients.add(database.client("mode=" + mode, Duration.ofSeconds(30)));
      }
      List<CompletableFuture<Optional<Lease>>> waiters = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        // Shared ones: those of one process that are exclusive wait as one.
        waiters.add(clients.get(i % 5).lock("hot").shared().async().tryAcquire(LONG));
      }
      Eventually.until("they wait", () -> holder.inspect("hot").waiters().size() == 100);
      database.run("CREATE INDEX CONCURRENTLY data_n ON data (n)");
      assertThat(
              database.number(
                  "SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid ="
                      + " 'data_n'::regclass"))
          .isEqualTo(1);
      for (int round = 0; round < 5; round++) {
        long newest = database.number("SELECT txid_current()");
        Eventually.until(
            "no session of ours keeps an older horizon than this",
            () ->
                database.number(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'"
                            + " AND backend_xmin IS NOT NULL AND backend_xmin::text::bigint <= "
                            + newest)
                    == 0);
        assertThat(
                database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast' AND"
                        + " wait_event_type = 'Lock'"))
            .isZero();
      }
      held.release();
      for (CompletableFuture<Optional<Lease>> waiter : waiters) {
        assertThat(waiter.get(60, TimeUnit.SECONDS)).isPresent();
      }
    }
  }
}
