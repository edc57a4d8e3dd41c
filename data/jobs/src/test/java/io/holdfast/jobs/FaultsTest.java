// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections that are cut in the middle, and a server that goes away under a worker. */
@Tag("postgresql")
class FaultsTest extends JobsTest {
  @Test
  void a_connection_that_is_lost_while_enqueuing_is_an_error_and_leaves_nothing_behind()
      throws Exception {
    Jobs jobs = queues.behindTheNetwork(recorder);
    try (Connection connection = queues.pool(queues.network().port()).getConnection()) {
      connection.setAutoCommit(false);
      jobs.enqueue(connection, Queues.jobs(5));
      queues.network().cut();
      assertThatThrownBy(
              () -> {
                jobs.enqueue(connection, job("6"));
                connection.commit();
              })
          .isInstanceOf(SQLException.class);
    }
    Eventually.until("it is rolled back", () -> queues.unfinished() == 0);
    Eventually.until("a new connection works", () -> enqueues(jobs));
  }

  private static boolean enqueues(Jobs jobs) {
    try {
      return jobs.enqueue(job("1")).isPresent();
    } catch (SQLException notYet) {
      return false;
    }
  }

  @Test
  void connections_that_are_cut_all_the_time_cost_no_job() throws Exception {
    queues.jobs().enqueue(Queues.jobs(300));
    queues.start(
        queues.behindTheNetwork(recorder),
        job -> {
          seen.add(job.payload());
          if (job.payload().equals("0")) {
            Eventually.until(
                "a fault was met", () -> !recorder.heard(JobListener.Trouble.class).isEmpty());
          }
        },
        w -> w.concurrency(4).prefetch(4));
    for (int i = 0; i < 100 && queues.unfinished() > 0; i++) {
      queues.network().cut();
      Eventually.pass(Duration.ofMillis(50));
    }
    queues.awaitEmpty();
    assertThat(seen.stream().distinct()).hasSize(300);
    assertThat(recorder.heard(JobListener.Trouble.class)).isNotEmpty();
  }

  @Test
  void a_job_whose_claim_was_not_answered_is_given_back_by_the_worker_that_does_not_know_of_it()
      throws Exception {
    Jobs jobs = queues.jobs();
    DataSource pool = queues.pool(queues.network().port());
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    queues.start(
        queues.jobs(pool, builder -> builder.hints(false), recorder),
        job -> {
          begun.countDown();
          go.await();
          seen.add(job.payload() + " in attempt " + job.attempt());
        },
        w -> w.concurrency(1).leaseTime(Duration.ofSeconds(20)));
    jobs.enqueue(job("1"));
    begun.await();
    jobs.enqueue(job("2"));
    Queues.warm(pool);
    queues.network().loseReplies();
    go.countDown();
    queues.awaitNumber(
        "SELECT count(*) FROM $.job WHERE state = 2 AND payload = '2'", count -> count == 1);
    queues.network().cut(); // Or the reply is on its way still, and comes when all is well again.
    queues.network().heal();
    queues.awaitEmpty();
    assertThat(seen).containsExactly("1 in attempt 1", "2 in attempt 1");
    assertThat(queues.number("SELECT epoch FROM $.worker")).isPositive();
  }

  @Test
  void a_claim_that_comes_after_its_worker_gave_back_what_it_does_not_know_claims_nothing()
      throws Exception {
    queues.jobs().enqueue(Queues.jobs(3));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    queues.run("SELECT " + queues.claim(worker, 2));
    long known = queues.number("SELECT min(token) FROM $.job");
    assertThat(queues.number("SELECT $.disown(" + worker + ", ARRAY[" + known + "]::bigint[])"))
        .isEqualTo(1);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 2")).isEqualTo(1);
    assertThat(queues.number("SELECT count(*) FROM " + queues.claim(worker, 2))).isZero();
  }

  @Test
  void a_result_that_was_not_answered_is_told_again_and_counts_once() throws Exception {
    DataSource pool = queues.pool(queues.network().port());
    Jobs jobs = queues.jobs(pool, builder -> builder.hints(false), recorder);
    jobs.enqueue(job("1"));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    queues.start(
        jobs,
        job -> {
          begun.countDown();
          go.await();
          seen.add(job.payload());
        });
    begun.await();
    Queues.warm(pool);
    queues.network().loseReplies();
    go.countDown();
    queues.awaitEmpty();
    queues.network().cut(); // As above.
    queues.network().heal();
    Eventually.until("told again", () -> recorder.heard(JobListener.Stale.class).size() == 1);
    assertThat(recorder.heard(JobListener.Stale.class).get(0).isRepeat()).isTrue();
    assertThat(seen).containsExactly("1");
  }

  @Test
  void a_worker_goes_on_when_its_server_was_restarted() throws Exception {
    try (Queues own = new Queues(PostgresServer.start())) {
      Jobs jobs = own.jobs(recorder);
      own.start(jobs, job -> seen.add(job.payload()));
      jobs.enqueue(job("1"));
      own.awaitEmpty();
      own.server().stop();
      Eventually.until("it was missed", () -> !recorder.heard(JobListener.Trouble.class).isEmpty());
      own.server().restart();
      Eventually.until("it answers again", () -> enqueues(jobs));
      Eventually.until("it ran", () -> seen.size() >= 2);
      own.server().crash();
      own.server().restart();
      Eventually.until("it answers again", () -> enqueues(jobs));
      Eventually.until("it ran", () -> seen.size() >= 3);
      Eventually.until("all are done", () -> isEmpty(own));
    }
  }

  private static boolean isEmpty(Queues queues) {
    try (Connection connection = queues.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      return !statement.executeQuery("SELECT FROM " + queues.schema() + ".job").next();
    } catch (SQLException notYet) {
      return false;
    }
  }
}
