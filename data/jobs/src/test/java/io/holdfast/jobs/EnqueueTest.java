// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.QUEUE;
import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How jobs come into a queue. */
@Tag("postgresql")
class EnqueueTest {
  private Queues queues;
  private Jobs jobs;

  @BeforeEach
  void open() throws SQLException {
    queues = new Queues();
    jobs = queues.jobs();
  }

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void a_job_exists_if_and_when_the_callers_transaction_commits() throws Exception {
    try (Connection connection = queues.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(jobs.enqueue(connection, job("1"))).isPresent();
      assertThat(queues.unfinished()).isZero();
      connection.rollback();
      assertThat(queues.unfinished()).isZero();
      OptionalLong id = jobs.enqueue(connection, job("2"));
      connection.commit();
      assertThat(queues.number("SELECT id FROM $.job")).isEqualTo(id.getAsLong());
    }
  }

  @Test
  void many_jobs_are_one_statement_and_have_ids_in_their_order() throws Exception {
    List<NewJob> many = Queues.jobs(1000);
    List<OptionalLong> ids = jobs.enqueue(many);
    assertThat(ids).hasSize(1000).isSortedAccordingTo((a, b) -> Long.compare(get(a), get(b)));
    assertThat(queues.number("SELECT payload::int FROM $.job WHERE id = " + get(ids.get(517))))
        .isEqualTo(517);
    assertThat(jobs.enqueue(List.of())).isEmpty();
  }

  private static long get(OptionalLong id) {
    return id.orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "secret{", "{\"secret\": }", "\"secret\\u0000\"", "'secret'", "\"\0secret\""})
  void a_payload_that_is_not_json_is_a_typed_error_that_does_not_show_it(String payload)
      throws Exception {
    Throwable failure = catchThrowable(() -> jobs.enqueue(List.of(job("{}"), job(payload))));
    assertThat(failure).isInstanceOf(InvalidPayloadException.class).hasMessageContaining("JSON");
    assertThat(failure).hasNoCause();
    assertThat(failure.getMessage()).doesNotContain("secret");
    assertThat(queues.unfinished()).isZero();
    assertThat(jobs.enqueue(job("{\"good\": \"ü\"}"))).isPresent();
  }

  @Test
  void a_unique_key_is_taken_until_its_job_is_finished() throws Exception {
    NewJob one = job("1").uniqueKey("report");
    long first = get(jobs.enqueue(one));
    assertThat(jobs.enqueue(List.of(one, job("2").uniqueKey("other"), one)))
        .satisfies(ids -> assertThat(ids.get(0)).isEmpty())
        .satisfies(ids -> assertThat(ids.get(1)).isPresent())
        .satisfies(ids -> assertThat(ids.get(2)).isEmpty());
    assertThat(jobs.enqueue(NewJob.of("another queue", "1").uniqueKey("report"))).isPresent();
    jobs.cancel(first);
    assertThat(jobs.enqueue(one)).isPresent();
  }

  @Test
  void of_many_who_enqueue_one_unique_key_at_once_one_succeeds() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Boolean>> tries = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        NewJob job = job("1").uniqueKey("key " + i / 6);
        tries.add(() -> jobs.enqueue(job).isPresent());
      }
      int added = 0;
      for (Future<Boolean> each : threads.invokeAll(tries)) {
        added += each.get() ? 1 : 0;
      }
      assertThat(added).isEqualTo(20);
      assertThat(queues.unfinished()).isEqualTo(20);
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_unique_key_that_is_rolled_back_is_free_for_whoever_waited() throws Exception {
    Queues.warm(queues.dataSource());
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection connection = queues.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      jobs.enqueue(connection, job("1").uniqueKey("k"));
      Future<OptionalLong> other = thread.submit(() -> jobs.enqueue(job("2").uniqueKey("k")));
      // Also over if the other has failed: then the line after next says why.
      Eventually.until("it waits", () -> other.isDone() || waits());
      connection.rollback();
      assertThat(other.get(60, TimeUnit.SECONDS)).isPresent();
    } finally {
      thread.shutdown();
    }
  }

  private boolean waits() {
    return queues.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
  }

  @Test
  void times_and_delays_are_the_databases() throws Exception {
    jobs.enqueue(
        List.of(
            job("1").after(Duration.ofHours(1)),
            job("2").at(Instant.now().plusSeconds(7200)),
            job("3").at(Instant.EPOCH),
            job("4")));
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 0")).isEqualTo(2);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 1 AND run_at <= now()"))
        .isEqualTo(2);
    assertThat(
            queues.number(
                "SELECT count(*) FROM $.job WHERE payload = '1'"
                    + " AND run_at - now() BETWEEN interval '59 minutes' AND interval '1 hour'"))
        .isEqualTo(1);
  }

  @Test
  void what_makes_no_sense_is_refused_before_the_database_is_asked() {
    NewJob good = NewJob.of(QUEUE, "1");
    List<Runnable> bad =
        List.of(
            () -> NewJob.of(" ", "1"),
            () -> NewJob.of("a\nb", "1"),
            () -> good.priority(40_000),
            () -> good.after(Duration.ofSeconds(-1)),
            () -> good.maxAttempts(0),
            () -> good.uniqueKey(""),
            () -> new RetryPolicy(Duration.ZERO, Duration.ZERO),
            () -> jobs.worker(QUEUE, job -> {}).concurrency(0).start(),
            () -> jobs.worker(QUEUE, job -> {}).leaseTime(Duration.ofMillis(1)).start(),
            () -> Jobs.schema("x; DROP TABLE y"));
    for (Runnable each : bad) {
      assertThat(catchThrowable(each::run)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(NewJob.of(QUEUE, "\"secret\"").toString()).doesNotContain("secret");
  }
}
