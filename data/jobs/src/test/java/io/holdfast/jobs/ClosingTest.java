// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a worker, and of a thread's job. */
@Tag("postgresql")
class ClosingTest extends JobsTest {
  private static final String SAYS_THAT_IT_LIVES =
      "SELECT count(*) FROM $.worker WHERE until > now() + interval '40 seconds'";

  @Test
  void closing_gives_back_what_was_not_begun_and_waits_for_what_was() throws Exception {
    jobs.enqueue(Queues.jobs(10));
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        queues.start(
            queues.jobs(time, recorder),
            job -> {
              go.await();
              seen.add(job.payload());
            },
            w -> w.concurrency(2).prefetch(8).drainTime(Duration.ofHours(1)));
    time.passUntil(
        "all are claimed", () -> queues.number("SELECT count(*) FROM $.job WHERE state = 2") == 10);
    Eventually.until("two run", () -> worker.running() == 2);
    Thread closing = new Thread(worker::close);
    closing.start();
    queues.awaitNumber(
        "SELECT count(*) FROM $.job WHERE state = 1 AND attempt = 0", count -> count == 8);
    queues.run("UPDATE $.worker SET until = now() + interval '30 seconds'");
    time.passUntil(
        "it says that it lives while it drains", () -> queues.number(SAYS_THAT_IT_LIVES) == 1);
    go.countDown();
    closing.join();
    assertThat(seen).hasSize(2);
    assertThat(queues.unfinished()).isEqualTo(8);
    assertThat(queues.number("SELECT count(*) FROM $.worker")).isZero();
  }

  @Test
  void what_does_not_end_in_the_drain_time_is_interrupted_and_tried_again() throws Exception {
    jobs.enqueue(job("1"));
    CountDownLatch begun = new CountDownLatch(1);
    Worker worker =
        queues.start(
            queues.jobs(time, recorder),
            job -> {
              begun.countDown();
              new CountDownLatch(1).await();
            },
            w -> w.drainTime(Duration.ofMillis(100)));
    time.passUntil("it runs", () -> begun.getCount() == 0);
    Thread closing = new Thread(worker::close);
    closing.start();
    // What follows in no time is not too late, however long it takes.
    time.passUntil("it was told", () -> !recorder.heard(JobListener.Lost.class).isEmpty());
    closing.join();
    assertThat(recorder.heard(JobListener.Lost.class).get(0).cause())
        .isEqualTo(JobListener.LossOfClaim.CLOSED);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 0 AND attempt = 1"))
        .isEqualTo(1);
    worker.close();
  }

  @Test
  void an_interrupt_of_one_job_does_not_reach_the_next_on_its_thread() throws Exception {
    long first = jobs.enqueue(job("1")).orElseThrow();
    CountDownLatch begun = new CountDownLatch(1);
    queues.start(
        queues.jobs(time, recorder),
        job -> {
          begun.countDown();
          if (job.id() == first) {
            while (job.isHeld()) {
              LockSupport.parkNanos(1_000_000);
            }
            Thread.currentThread().interrupt();
          } else {
            seen.add("interrupted " + Thread.currentThread().isInterrupted());
          }
        },
        w -> w.concurrency(1));
    time.passUntil("it runs", () -> begun.getCount() == 0);
    jobs.cancel(first);
    jobs.enqueue(job("2"));
    time.passUntil("all is done", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("interrupted false");
  }

  @Test
  void a_job_that_was_completed_in_a_transaction_is_done_even_if_its_handler_throws_then()
      throws Exception {
    jobs.enqueue(job("1"));
    queues.start(
        jobs,
        job -> {
          try (Connection connection = queues.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            job.complete(connection);
            connection.commit();
          }
          throw new IllegalStateException("too late");
        });
    Eventually.until("told", () -> recorder.heard(JobListener.Completed.class).size() == 1);
    assertThat(recorder.heard(JobListener.Failed.class)).isEmpty();
    assertThat(queues.unfinished()).isZero();
  }
}
