// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How the queue is, and who cleans up. */
@Tag("postgresql")
class HealthTest {
  private final Queues queues = new Queues();

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void health_counts_jobs_by_state_and_tells_how_long_the_oldest_has_waited() throws Exception {
    Jobs jobs = queues.jobs(queues.dataSource(), b -> b.keepFinished(Duration.ofHours(1)));
    jobs.enqueue(Queues.jobs(5));
    jobs.enqueue(job("1").after(Duration.ofHours(1)));
    jobs.enqueue(NewJob.of("other", "1"));
    queues.run("UPDATE $.job SET run_at = now() - interval '90 seconds' WHERE payload = '3'");
    jobs.cancel(queues.number("SELECT id FROM $.job WHERE payload = '4'"));
    JobsHealth.Queue queue = jobs.health().queue("q").orElseThrow();
    assertThat(queue.depth(JobState.READY)).isEqualTo(4);
    assertThat(queue.depth(JobState.SCHEDULED)).isEqualTo(1);
    assertThat(queue.depth(JobState.CANCELLED)).isEqualTo(1);
    assertThat(queue.depth(JobState.DEAD)).isZero();
    assertThat(queue.oldestReady().orElseThrow()).isGreaterThanOrEqualTo(Duration.ofSeconds(90));
    assertThat(jobs.health().queues()).hasSize(2);
    assertThat(jobs.health().workers()).isZero();
    queues.start(jobs, job -> {});
    queues.awaitNumber("SELECT count(*) FROM $.finished WHERE state = 3", count -> count == 4);
    assertThat(jobs.health().workers()).isEqualTo(1);
    assertThat(jobs.health().tableBytes()).isPositive();
    assertThat(jobs.health().queue("q").orElseThrow().oldestReady()).isEmpty();
  }

  @Test
  void health_shows_a_transaction_that_keeps_dead_rows_alive() throws Exception {
    Jobs jobs = queues.jobs();
    try (Connection old = queues.dataSource().getConnection();
        Statement statement = old.createStatement()) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT 1");
      jobs.enqueue(Queues.jobs(500));
      queues.run("DELETE FROM $.job");
      queues.run("VACUUM $.job");
      Eventually.until("dead rows are counted", () -> deadTuples(jobs) >= 500);
      JobsHealth health = jobs.health();
      assertThat(health.deadTupleRatio()).isGreaterThan(0.9);
      assertThat(health.xminAge()).isPositive();
      assertThat(health.oldestTransaction()).isPositive();
      old.rollback();
    }
  }

  private static long deadTuples(Jobs jobs) {
    try {
      return jobs.health().deadTuples();
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void finished_rows_are_deleted_when_they_are_old_and_not_before() throws Exception {
    Jobs jobs =
        queues.jobs(
            queues.dataSource(),
            b -> b.keepFinished(Duration.ofHours(1)).keepDead(Duration.ofHours(2)));
    queues.run(
        "INSERT INTO $.finished SELECT i, 'q', 3 + i % 3, 0, 1, 1, now(),"
            + " now() - interval '1 minute' * (30 + 60 * (i % 4)), NULL, NULL, '1'"
            + " FROM generate_series(1, 6000) AS i");
    // Done and cancelled: all but those of half an hour. Dead: those of two and a half and more.
    assertThat(jobs.cleanUp()).isEqualTo(3000 + 1000);
    assertThat(jobs.cleanUp()).isZero();
    assertThat(queues.number("SELECT count(*) FROM $.finished WHERE state = 4")).isEqualTo(1000);
  }

  @Test
  void a_database_that_is_unfit_is_refused_with_the_next_step() throws Exception {
    assertThatThrownBy(
            () -> Jobs.builder(queues.dataSource()).schema("none").createSchema(false).open())
        .isInstanceOf(UnfitDatabaseException.class)
        .hasMessageContaining("Jobs.schema()");
    queues.run("CREATE ROLE $_strict LOGIN");
    queues.run("ALTER ROLE $_strict SET default_transaction_isolation = 'repeatable read'");
    DataSource strict = queues.pool(queues.server().port(), queues.schema() + "_strict");
    assertThatThrownBy(() -> Jobs.open(strict))
        .isInstanceOf(UnfitDatabaseException.class)
        .hasMessageContaining("READ COMMITTED");
    queues.jobs();
    queues.run("INSERT INTO $.schema_version VALUES (10, 9)");
    assertThatThrownBy(queues::jobs)
        .isInstanceOf(UnfitDatabaseException.class)
        .hasMessageContaining("version 9");
  }
}
