// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What jobs cost, in the server's own count of statements. */
@Tag("postgresql")
class CountsTest {
  private final ManualWorkerTime time = new ManualWorkerTime();
  private final Queues queues = new Queues();
  private Jobs jobs;

  @BeforeEach
  void open() throws SQLException {
    assertThat(
            queues.number(
                "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'"))
        .as("pg_stat_statements is installed: it is part of postgresql-contrib")
        .isEqualTo(1);
    queues.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    jobs = queues.jobs(time);
  }

  @AfterEach
  void close() {
    queues.close();
  }

  /** Starts a worker that polls once a minute, and lets time pass until it has begun. */
  private Worker begin(JobHandler handler, UnaryOperator<Worker.Builder> settings) {
    Worker worker =
        queues.start(
            jobs,
            handler,
            w ->
                settings.apply(
                    w.pollInterval(Duration.ofMinutes(1)).leaseTime(Duration.ofHours(1))));
    time.passUntil("the worker has begun", () -> calls("claim") > 0);
    return worker;
  }

  /** Statements that call this function, so far. */
  private long calls(String function) {
    return queues.number(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE 'SELECT * FROM $."
            + function
            + "(%'");
  }

  /** All statements that name this schema, except what tests ask. */
  private long all() {
    return queues.number(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE 'SELECT * FROM $.%'");
  }

  @Test
  void a_batch_of_jobs_is_one_statement_to_enqueue() throws Exception {
    jobs.enqueue(Queues.jobs(1000));
    assertThat(calls("enqueue")).isEqualTo(1);
  }

  @Test
  void a_thousand_jobs_are_claimed_with_a_few_statements() throws Exception {
    jobs.enqueue(Queues.jobs(1000));
    begin(job -> {}, w -> w.concurrency(4).prefetch(400));
    queues.awaitEmpty();
    // 404, then at least 202 at a time; and the last, which finds nothing.
    assertThat(calls("claim")).isLessThanOrEqualTo(6);
  }

  @Test
  void jobs_that_end_while_the_database_is_told_of_others_are_completed_with_one_statement()
      throws Exception {
    jobs.enqueue(Queues.jobs(200));
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(1);
    Worker worker =
        begin(job -> (job.payload().equals("0") ? first : others).await(), w -> w.concurrency(200));
    Eventually.until("all run", () -> worker.running() == 200);
    try (Connection locking = queues.dataSource().getConnection();
        Statement statement = locking.createStatement()) {
      locking.setAutoCommit(false);
      statement.execute(queues.named("SELECT FROM $.job WHERE payload = '0' FOR UPDATE"));
      first.countDown();
      queues.awaitNumber("SELECT count(*) FROM pg_locks WHERE NOT granted", count -> count > 0);
      others.countDown();
      Eventually.until("all have ended", () -> worker.running() == 0);
      locking.rollback();
    }
    queues.awaitEmpty();
    assertThat(calls("complete")).isEqualTo(2);
  }

  @Test
  void one_at_a_time_a_job_is_one_claim_and_at_most_one_completion() throws Exception {
    jobs.enqueue(Queues.jobs(100));
    begin(job -> {}, w -> w.concurrency(1).prefetch(0));
    queues.awaitEmpty();
    // Scans that begin behind the last job find nothing at the end, and begin from the front.
    assertThat(calls("claim")).isBetween(100L, 103L);
    assertThat(calls("complete")).isBetween(1L, 100L);
  }

  @Test
  void heartbeats_are_one_statement_for_a_worker_however_many_jobs_it_runs() throws Exception {
    jobs.enqueue(Queues.jobs(200));
    CountDownLatch go = new CountDownLatch(1);
    Worker worker = begin(job -> go.await(), w -> w.concurrency(200));
    Eventually.until("all run", () -> worker.running() == 200);
    for (int thirds = 0; thirds < 6; thirds++) {
      time.pass(Duration.ofMinutes(20));
    }
    time.awaitRest();
    assertThat(calls("heartbeat")).isEqualTo(6);
    assertThat(queues.number("SELECT count(*) FROM $.worker")).isEqualTo(1);
    go.countDown();
    queues.awaitEmpty();
  }

  @Test
  void an_idle_worker_asks_as_often_as_it_was_told_and_no_more() throws Exception {
    begin(job -> {}, w -> w);
    time.awaitRest();
    long before = all();
    long claims = calls("claim");
    long looks = calls("recurring_due");
    for (int minute = 0; minute < 20; minute++) {
      time.pass(Duration.ofMinutes(1));
    }
    time.awaitRest();
    assertThat(calls("claim") - claims).isEqualTo(20);
    assertThat(calls("heartbeat")).isEqualTo(1);
    assertThat(calls("rescue")).as("for a lease time it watches the server's clock").isZero();
    assertThat(calls("recurring_due") - looks).isEqualTo(20);
    assertThat(all() - before).as("these, and a cleaning of three").isEqualTo(44);
  }
}
