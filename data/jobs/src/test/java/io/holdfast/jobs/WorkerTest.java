// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of jobs while all goes well, or their handlers fail. */
@Tag("postgresql")
class WorkerTest extends JobsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 500})
  void every_job_runs_once_and_is_gone(int prefetch) throws Exception {
    jobs.enqueue(Queues.jobs(800));
    Set<String> distinct = ConcurrentHashMap.newKeySet();
    AtomicInteger runs = new AtomicInteger();
    queues.start(
        jobs,
        job -> {
          distinct.add(job.payload());
          runs.incrementAndGet();
        },
        worker -> worker.prefetch(prefetch).concurrency(4));
    queues.awaitEmpty();
    assertThat(distinct).hasSize(800);
    assertThat(runs).hasValue(800);
    Eventually.until(
        "all are reported", () -> recorder.heard(JobListener.Completed.class).size() == 800);
  }

  @Test
  void urgent_jobs_go_first_and_equal_ones_in_their_order() throws Exception {
    List<NewJob> mixed = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      mixed.add(job(Integer.toString(i)).priority(i % 3 - 1));
    }
    jobs.enqueue(mixed.subList(0, 45));
    jobs.enqueue(mixed.subList(45, 90));
    queues.start(jobs, job -> seen.add(job.payload()), worker -> worker.concurrency(1).prefetch(7));
    queues.awaitEmpty();
    List<String> expected = new ArrayList<>();
    for (int rest = 2; rest >= 0; rest--) {
      for (int i = rest; i < 90; i += 3) {
        expected.add(Integer.toString(i));
      }
    }
    assertThat(seen).containsExactlyElementsOf(expected);
  }

  @Test
  void scheduled_jobs_run_in_the_order_of_their_times_and_not_before() throws Exception {
    jobs.enqueue(
        List.of(
            job("3").after(Duration.ofMillis(900)),
            job("1").after(Duration.ofMillis(300)),
            job("2").after(Duration.ofMillis(600))));
    queues.start(
        jobs,
        job -> {
          long early =
              queues.number(
                  "SELECT count(*) FROM $.job WHERE id = " + job.id() + " AND run_at > now()");
          seen.add(early == 0 ? job.payload() : "early");
        },
        worker -> worker.concurrency(1));
    queues.awaitEmpty();
    assertThat(seen).containsExactly("1", "2", "3");
  }

  @Test
  void a_job_that_fails_is_tried_again_later_with_a_greater_token() throws Exception {
    Queue<Long> tokens = new ConcurrentLinkedQueue<>();
    jobs.enqueue(job("1"));
    queues.start(
        jobs,
        job -> {
          tokens.add(job.token().value());
          if (job.attempt() < 3) {
            throw new IllegalStateException("attempt " + job.attempt() + " \0");
          }
        });
    queues.awaitEmpty();
    assertThat(List.copyOf(tokens)).hasSize(3).isSorted().doesNotHaveDuplicates();
    assertThat(recorder.heard(JobListener.Failed.class))
        .extracting(event -> event.subject().attempt())
        .containsExactly(1, 2);
  }

  @Test
  void after_its_last_attempt_it_is_a_dead_letter_and_can_be_redriven() throws Exception {
    AtomicInteger fails = new AtomicInteger(2);
    long id = jobs.enqueue(job("{\"a\": 1}").maxAttempts(2).uniqueKey("k")).orElseThrow();
    queues.start(
        jobs,
        job -> {
          if (fails.getAndDecrement() > 0) {
            throw new AssertionError("boom");
          }
          seen.add("attempt " + job.attempt());
        });
    DeadLetters dead = jobs.deadLetters(Queues.QUEUE);
    queues.awaitNumber("SELECT count(*) FROM $.finished", count -> count == 1);
    DeadLetter letter = dead.list(10).get(0);
    assertThat(letter.id()).isEqualTo(id);
    assertThat(letter.attempts()).isEqualTo(2);
    assertThat(letter.error()).contains("AssertionError", "boom");
    Eventually.until("it is told", () -> recorder.heard(JobListener.Buried.class).size() == 1);
    assertThat(jobs.deadLetters("other").redrive(id)).isFalse();
    assertThat(dead.redrive(id)).isTrue();
    assertThat(dead.redrive(id)).isFalse();
    queues.awaitEmpty();
    assertThat(seen).containsExactly("attempt 1");
  }

  @Test
  void a_dead_letter_whose_unique_key_is_taken_stays_where_it_is() throws Exception {
    for (int i = 0; i < 2; i++) {
      long id = jobs.enqueue(job("1").uniqueKey("k").maxAttempts(1)).orElseThrow();
      queues.run("UPDATE $.job SET token = 1, attempt = 1, state = 2 WHERE id = " + id);
      queues.run("SELECT $.bury(ARRAY[" + id + "]::bigint[], ARRAY[1]::bigint[], ARRAY['no'])");
    }
    DeadLetters dead = jobs.deadLetters(Queues.QUEUE);
    assertThat(dead.list(10)).hasSize(2);
    assertThat(dead.redriveOldest(10)).hasSize(1);
    assertThat(dead.list(10)).hasSize(1);
    assertThat(queues.unfinished()).isEqualTo(1);
  }

  @Test
  void no_more_jobs_run_at_once_than_was_said() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    jobs.enqueue(Queues.jobs(60));
    queues.start(
        jobs,
        job -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          Thread.sleep(5);
          now.decrementAndGet();
        },
        worker -> worker.concurrency(3).prefetch(20));
    queues.awaitEmpty();
    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void a_job_that_waits_can_be_cancelled() throws Exception {
    long ready = jobs.enqueue(job("1")).orElseThrow();
    long later = jobs.enqueue(job("2").after(Duration.ofHours(1))).orElseThrow();
    assertThat(jobs.cancel(ready)).contains(JobState.READY);
    assertThat(jobs.cancel(later)).contains(JobState.SCHEDULED);
    assertThat(jobs.cancel(later)).isEmpty();
    assertThat(queues.unfinished()).isZero();
  }

  @Test
  void a_job_that_runs_can_be_cancelled_and_its_handler_is_told() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    long id = jobs.enqueue(job("1")).orElseThrow();
    queues.start(
        queues.jobs(time, recorder),
        job -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException told) {
            seen.add("held " + job.isHeld());
          }
        });
    time.passUntil("it runs", () -> begun.getCount() == 0);
    assertThat(jobs.cancel(id)).contains(JobState.RUNNING);
    time.passUntil("it was told", () -> !seen.isEmpty());
    assertThat(seen).containsExactly("held false");
    Eventually.until(
        "the listener is told of the loss and of the late end",
        () ->
            recorder.heard(JobListener.Lost.class).size() == 1
                && recorder.heard(JobListener.Stale.class).size() == 1);
    assertThat(recorder.heard(JobListener.Lost.class).get(0).cause())
        .isEqualTo(JobListener.LossOfClaim.CANCELLED);
    assertThat(queues.number("SELECT state FROM $.finished")).isEqualTo(5);
  }

  @Test
  void hints_wake_a_worker_long_before_its_next_poll() throws Exception {
    queues.start(jobs, job -> seen.add(job.payload()), w -> w.pollInterval(Duration.ofMinutes(5)));
    for (int i = 0; i < 3; i++) {
      jobs.enqueue(job(Integer.toString(i)));
      queues.awaitEmpty();
    }
    assertThat(seen).hasSize(3);
  }

  @Test
  void without_hints_polls_find_every_job_and_nothing_is_notified() throws Exception {
    Jobs quiet = queues.jobs(queues.dataSource(), builder -> builder.hints(false));
    queues.start(quiet, job -> seen.add(job.payload()));
    quiet.enqueue(Queues.jobs(20));
    queues.awaitEmpty();
    assertThat(seen).hasSize(20);
    assertThat(
            queues.number(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LISTEN "
                    + queues.schema()
                    + "'"))
        .isZero();
  }
}
