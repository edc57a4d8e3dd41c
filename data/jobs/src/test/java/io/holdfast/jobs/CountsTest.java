// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What jobs cost, in the server's own count of statements. */
@Tag("postgresql")
class CountsTest {
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
    jobs = queues.jobs(queues.dataSource(), builder -> builder.hints(false));
  }

  @AfterEach
  void close() {
    queues.close();
  }

  /** Statements that call this function, so far. */
  private long calls(String function) {
    return queues.number(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE '%FROM $."
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
  void a_thousand_jobs_are_claimed_and_completed_with_a_few_statements() throws Exception {
    jobs.enqueue(Queues.jobs(1000));
    queues.start(
        jobs, job -> {}, w -> w.concurrency(4).prefetch(400).pollInterval(Duration.ofMinutes(1)));
    queues.awaitEmpty();
    System.out.printf("1,000 jobs: %d claims, %d completions%n", calls("claim"), calls("complete"));
    // 404, then at least 202 at a time; and the last, which finds nothing.
    assertThat(calls("claim")).isLessThanOrEqualTo(6);
    assertThat(calls("complete")).isBetween(1L, 250L);
  }

  @Test
  void one_at_a_time_a_job_is_one_claim_and_one_completion() throws Exception {
    jobs.enqueue(Queues.jobs(100));
    queues.start(
        jobs, job -> {}, w -> w.concurrency(1).prefetch(0).pollInterval(Duration.ofMinutes(1)));
    queues.awaitEmpty();
    // Scans that begin behind the last job find nothing at the end, and begin from the front.
    assertThat(calls("claim")).isBetween(100L, 103L);
    assertThat(calls("complete")).isBetween(1L, 100L);
  }

  @Test
  void heartbeats_are_one_row_for_a_worker_however_many_jobs_it_runs() throws Exception {
    List<NewJob> many = new ArrayList<>(Queues.jobs(200));
    jobs.enqueue(many);
    queues.start(
        jobs,
        job -> Thread.sleep(3000),
        w -> w.concurrency(200).leaseTime(Duration.ofSeconds(3)).drainTime(Duration.ofSeconds(10)));
    queues.awaitEmpty();
    System.out.printf("200 jobs of 3 s: %d heartbeats%n", calls("heartbeat"));
    assertThat(calls("heartbeat")).isBetween(1L, 60L);
    assertThat(queues.number("SELECT count(*) FROM $.worker")).isEqualTo(1);
  }

  @Test
  void an_idle_worker_asks_no_more_often_than_it_was_told() throws Exception {
    queues.start(
        jobs,
        job -> {},
        w -> w.pollInterval(Duration.ofMillis(500)).leaseTime(Duration.ofSeconds(3)));
    queues.awaitNumber("SELECT count(*) FROM $.worker", count -> count == 1);
    long before = all();
    long begun = System.nanoTime();
    Thread.sleep(3000);
    long asked = all() - before;
    long millis = (System.nanoTime() - begun) / 1_000_000;
    // Polls, heartbeats and rescues, each with its jitter; and what was under way.
    assertThat(asked).isLessThanOrEqualTo(millis / 375 + millis / 1000 + millis / 750 + 6);
  }
}
