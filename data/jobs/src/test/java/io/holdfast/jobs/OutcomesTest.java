// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a handler, or an operator, can say of a job that is not done. */
@Tag("postgresql")
class OutcomesTest extends JobsTest {
  private static final RetryPolicy HOURS =
      new RetryPolicy(Duration.ofHours(1), Duration.ofHours(1));

  @Test
  void a_snoozed_job_runs_later_and_was_not_tried() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    jobs.enqueue(job("1").maxAttempts(1));
    queues.start(
        jobs,
        job -> {
          seen.add("attempt " + job.attempt());
          if (runs.incrementAndGet() < 4) {
            throw new SnoozeException(Duration.ofMillis(10));
          }
        });
    queues.awaitEmpty();
    assertThat(seen).containsExactly("attempt 1", "attempt 1", "attempt 1", "attempt 1");
    Eventually.until("told", () -> recorder.heard(JobListener.Completed.class).size() == 1);
    assertThat(recorder.heard(JobListener.Snoozed.class))
        .hasSize(3)
        .allSatisfy(event -> assertThat(event.time()).isEqualTo(Duration.ofMillis(10)));
    assertThat(recorder.heard(JobListener.Buried.class)).isEmpty();
  }

  @Test
  void a_snoozed_job_rests_as_long_as_was_said_by_the_databases_clock() throws Exception {
    jobs.enqueue(job("1"));
    queues.start(
        jobs,
        job -> {
          throw new SnoozeException(Duration.ofHours(2));
        });
    Eventually.until("told", () -> recorder.heard(JobListener.Snoozed.class).size() == 1);
    assertThat(
            queues.number(
                "SELECT count(*) FROM $.job WHERE state = 0 AND attempt = 0 AND token IS NULL"
                    + " AND run_at - now() BETWEEN interval '1 hour' AND interval '2 hours'"))
        .isEqualTo(1);
  }

  @Test
  void a_snoozed_job_of_a_group_lets_the_next_go() throws Exception {
    jobs.enqueue(List.of(job("1").group("g"), job("2").group("g")));
    queues.start(
        jobs,
        job -> {
          seen.add(job.payload());
          if (job.payload().equals("1")) {
            throw new SnoozeException(Duration.ofHours(2));
          }
        });
    queues.awaitNumber("SELECT count(*) FROM $.job", count -> count == 1);
    assertThat(seen).containsExactly("1", "2");
  }

  @Test
  void a_permanent_failure_is_a_dead_letter_at_once() throws Exception {
    long id = jobs.enqueue(job("1").maxAttempts(9)).orElseThrow();
    queues.start(
        jobs,
        job -> {
          seen.add("attempt " + job.attempt());
          throw new PermanentFailureException("no such account", new IllegalStateException());
        });
    queues.awaitEmpty();
    DeadLetter letter = jobs.deadLetters(Queues.QUEUE).list(1).get(0);
    assertThat(letter.id()).isEqualTo(id);
    assertThat(letter.attempts()).isEqualTo(1);
    assertThat(letter.error()).contains("no such account");
    assertThat(seen).containsExactly("attempt 1");
    Eventually.until("told", () -> recorder.heard(JobListener.Buried.class).size() == 1);
  }

  @Test
  void an_attempt_that_asks_for_it_is_followed_by_the_next_at_once_and_counts() throws Exception {
    jobs.enqueue(job("1").maxAttempts(3));
    queues.start(
        jobs,
        job -> {
          seen.add("attempt " + job.attempt());
          throw new RetryNowException("once more");
        },
        w -> w.retries(HOURS));
    queues.awaitEmpty();
    assertThat(seen).containsExactly("attempt 1", "attempt 2", "attempt 3");
    assertThat(jobs.deadLetters(Queues.QUEUE).list(1).get(0).error()).contains("once more");
  }

  @Test
  void a_job_that_rests_or_is_scheduled_can_be_told_to_run_now() throws Exception {
    long resting = jobs.enqueue(job("1")).orElseThrow();
    long later = jobs.enqueue(job("2").group("g").after(Duration.ofHours(1))).orElseThrow();
    assertThat(jobs.runNow(resting)).as("it is ready already").isFalse();
    queues.start(
        jobs,
        job -> {
          seen.add(job.payload() + " in attempt " + job.attempt());
          if (job.payload().equals("1") && job.attempt() == 1) {
            throw new IllegalStateException("the first time");
          }
        },
        w -> w.retries(HOURS));
    queues.awaitNumber("SELECT count(*) FROM $.job WHERE state = 0", count -> count == 2);
    assertThat(jobs.runNow(resting)).isTrue();
    assertThat(jobs.runNow(later)).isTrue();
    queues.awaitEmpty();
    assertThat(jobs.runNow(later)).as("it is gone").isFalse();
    assertThat(seen)
        .containsExactlyInAnyOrder("1 in attempt 1", "1 in attempt 2", "2 in attempt 1");
  }

  @Test
  void a_job_is_not_snoozed_for_less_than_no_time() {
    assertThatThrownBy(() -> new SnoozeException(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
