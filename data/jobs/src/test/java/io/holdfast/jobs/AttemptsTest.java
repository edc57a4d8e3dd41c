// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What counts as an attempt, and what is told of one that was taken away. */
@Tag("postgresql")
class AttemptsTest extends JobsTest {
  private static final String ALIVE = "SELECT count(*) FROM $.job WHERE state = 2";

  /** Handlers wait for it. */
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void letHandlersEnd() {
    end.countDown();
  }

  private void takeAllFromTheDead() {
    queues.run("UPDATE $.worker SET until = now()");
    queues.run("SELECT $.rescue()");
  }

  @Test
  void a_job_that_was_prefetched_and_had_not_begun_when_its_worker_died_was_not_tried()
      throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    jobs.enqueue(Queues.jobs(6).stream().map(job -> job.maxAttempts(1)).toList());
    queues.start(
        queues.jobs(time, recorder),
        job -> {
          begun.countDown();
          end.await();
        },
        w -> w.concurrency(1).prefetch(5));
    time.passUntil("all are claimed", () -> queues.number(ALIVE) == 6);
    begun.await();
    takeAllFromTheDead();
    assertThat(queues.number("SELECT count(*) FROM $.finished WHERE state = 4")).isEqualTo(1);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 1 AND attempt = 0"))
        .isEqualTo(5);
    assertThat(queues.number("SELECT payload::int FROM $.finished")).isZero();
  }

  @Test
  void a_job_whose_completion_was_rolled_back_and_that_was_rescued_is_not_reported_as_done()
      throws Exception {
    CountDownLatch rolledBack = new CountDownLatch(1);
    jobs.enqueue(job("1"));
    queues.start(
        queues.jobs(time, recorder),
        job -> {
          try (Connection connection = queues.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            job.complete(connection);
            connection.rollback();
          }
          rolledBack.countDown();
          end.await();
        },
        w -> w.leaseTime(Duration.ofHours(1)));
    time.passUntil("it was rolled back", () -> rolledBack.getCount() == 0);
    takeAllFromTheDead();
    end.countDown();
    Eventually.until(
        "its end was told",
        () ->
            recorder.heard(JobListener.Stale.class).size()
                    + recorder.heard(JobListener.Completed.class).size()
                > 0);
    assertThat(recorder.heard(JobListener.Completed.class)).isEmpty();
    assertThat(queues.unfinished()).isEqualTo(1);
  }

  @Test
  void tokens_are_of_the_size_of_those_of_other_stores() throws Exception {
    jobs.enqueue(job("1"));
    queues.start(jobs, job -> seen.add(Long.toString(job.token().value())));
    queues.awaitEmpty();
    long now = System.currentTimeMillis() * 1000;
    assertThat(Long.parseLong(seen.element()))
        .isBetween(now - Duration.ofDays(1).toNanos() / 1000, now);
  }
}
