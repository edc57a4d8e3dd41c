// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handlers that run for too long, and handlers that never end. */
@Tag("postgresql")
class TimeoutsTest extends JobsTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration LEASE = Duration.ofHours(1);

  /** Handlers that hang wait for it. */
  private final CountDownLatch end = new CountDownLatch(1);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final Queue<FencingToken> tokens = new ConcurrentLinkedQueue<>();

  @AfterEach
  void letHandlersEnd() {
    end.countDown();
  }

  private static void hang(CountDownLatch until) {
    while (true) {
      try {
        until.await();
        return;
      } catch (InterruptedException ignoredByABadHandler) {
        // It goes on, as code does that knows nothing of interrupts.
      }
    }
  }

  private Worker start(int concurrency, JobHandler handler) throws Exception {
    return queues.start(
        queues.jobs(time, recorder),
        handler,
        w -> w.leaseTime(LEASE).timeout(TIMEOUT).concurrency(concurrency));
  }

  /** So much that the time is over, and the look for it has been made. */
  private void passTheTimeout() {
    time.advance(TIMEOUT.plusSeconds(1));
  }

  @Test
  void a_handler_that_runs_for_too_long_is_interrupted_and_its_attempt_has_failed()
      throws Exception {
    jobs.enqueue(job("1"));
    start(
        2,
        job -> {
          if (job.attempt() > 1) {
            seen.add("attempt 2");
            return;
          }
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException told) {
            seen.add("held " + job.isHeld());
          }
        });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    passTheTimeout();
    time.passUntil("all is done", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("held false", "attempt 2");
    assertThat(recorder.heard(JobListener.Lost.class))
        .extracting(JobListener.Lost::cause)
        .containsExactly(JobListener.LossOfClaim.TIMED_OUT);
    Eventually.until("told", () -> recorder.heard(JobListener.Completed.class).size() == 1);
    assertThat(recorder.heard(JobListener.Failed.class))
        .hasSize(1)
        .allSatisfy(event -> assertThat(event.error()).isInstanceOf(JobTimeoutException.class));
  }

  @Test
  void a_handler_that_hangs_keeps_its_thread_and_not_its_job() throws Exception {
    jobs.enqueue(job("1"));
    Worker hanging =
        start(
            1,
            job -> {
              tokens.add(job.token());
              begun.countDown();
              hang(end);
              seen.add("hung, held " + job.isHeld());
            });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    queues.start(
        queues.jobs(),
        job -> {
          tokens.add(job.token());
          seen.add("attempt " + job.attempt() + " of another");
        });
    passTheTimeout();
    time.passUntil("another has done it", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("attempt 2 of another");
    assertThat(hanging.running()).isEqualTo(1);
    List<FencingToken> both = List.copyOf(tokens);
    assertThat(both.get(1).isNewerThan(both.get(0))).isTrue();
    end.countDown();
    Eventually.until(
        "its end is refused", () -> !recorder.heard(JobListener.Stale.class).isEmpty());
    assertThat(seen).containsExactly("attempt 2 of another", "hung, held false");
    Eventually.until("its thread is free", () -> hanging.running() == 0);
  }

  @Test
  void a_handler_that_hangs_in_its_last_attempt_leaves_a_dead_letter_and_lets_its_group_go()
      throws Exception {
    jobs.enqueue(List.of(job("1").group("g").maxAttempts(1), job("2").group("g")));
    start(
        2,
        job -> {
          if (job.payload().equals("2")) {
            seen.add("2");
            return;
          }
          begun.countDown();
          hang(end);
        });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    passTheTimeout();
    time.passUntil("the next of its group is done", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("2");
    assertThat(jobs.deadLetters(Queues.QUEUE).list(9)).hasSize(1);
    assertThat(jobs.deadLetters(Queues.QUEUE).list(9).get(0).error()).contains("PT2M");
  }

  @Test
  void a_handler_that_hangs_in_its_own_transaction_holds_up_no_result_of_its_worker()
      throws Exception {
    jobs.enqueue(List.of(job("1"), job("2").after(Duration.ofMillis(1))));
    start(
        2,
        job -> {
          if (job.payload().equals("2")) {
            hang(begun);
            return;
          }
          try (Connection connection = queues.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            job.complete(connection);
            begun.countDown();
            hang(end);
            connection.commit();
          }
          seen.add("committed");
        });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    passTheTimeout();
    time.passUntil("the other is done", () -> queues.number("SELECT count(*) FROM $.job") == 1);
    time.passUntil("it was told", () -> !recorder.heard(JobListener.Lost.class).isEmpty());
    end.countDown();
    queues.awaitEmpty();
    Eventually.until(
        "the one that was committed is done",
        () -> recorder.heard(JobListener.Completed.class).size() == 2);
    assertThat(recorder.heard(JobListener.Failed.class)).isEmpty();
    assertThat(seen).containsExactly("committed");
  }

  @Test
  void a_handler_that_ends_in_time_is_not_interrupted() throws Exception {
    jobs.enqueue(job("1"));
    start(
        2,
        job -> {
          begun.countDown();
          end.await();
          seen.add("interrupted " + Thread.currentThread().isInterrupted());
        });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    time.advance(TIMEOUT.dividedBy(2));
    end.countDown();
    queues.awaitEmpty();
    assertThat(seen).containsExactly("interrupted false");
    assertThat(recorder.heard(JobListener.Lost.class)).isEmpty();
  }
}
