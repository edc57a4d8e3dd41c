// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that are enqueued again and again. */
@Tag("postgresql")
class RecurringTest extends JobsTest {
  private static final Recurrence EVERY_MINUTE = Recurrence.cron("* * * * *", ZoneOffset.UTC);

  /** Handlers wait for it. */
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void letHandlersEnd() {
    end.countDown();
  }

  private static RecurringJob recurring(Recurrence recurrence, MissedRuns missed) {
    return RecurringJob.of("r", recurrence, job("1")).missed(missed);
  }

  /** As if no worker had been there since then. */
  private void missFor(String interval) {
    queues.run(
        "UPDATE $.recurring SET next_at = date_trunc('minute', now()) - interval " + interval);
  }

  private void awaitUpToDate() {
    queues.awaitNumber(
        "SELECT count(*) FROM $.recurring WHERE next_at <= now()", count -> count == 0);
    queues.awaitEmpty();
  }

  @Test
  void however_many_workers_saw_that_a_time_was_due_it_is_enqueued_once() throws Exception {
    jobs.schedule(recurring(EVERY_MINUTE, MissedRuns.runOnce()));
    missFor("'1 minute'");
    RecurringSql sql = new RecurringSql(new JobsSql(queues.schema()));
    Database database = new Database(queues.dataSource(), Duration.ofMinutes(1));
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      for (int i = 1; i <= 20; i++) {
        RecurringSql.Due seen = database.call(c -> sql.due(c, Queues.QUEUE)).get(0);
        Instant following = seen.next().plusSeconds(60);
        RecurringSql.Step step = new RecurringSql.Step(List.of(seen.next()), following, false);
        List<Callable<Integer>> workers = new ArrayList<>();
        for (int j = 0; j < 6; j++) {
          workers.add(() -> database.call(c -> sql.recur(c, seen, step)));
        }
        int added = 0;
        for (Future<Integer> each : threads.invokeAll(workers)) {
          added += each.get();
        }
        assertThat(added).isEqualTo(1);
        assertThat(queues.unfinished()).isEqualTo(i);
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void every_missed_time_is_made_up_for_once_by_several_workers() throws Exception {
    jobs.schedule(recurring(EVERY_MINUTE, MissedRuns.runAll(1000)));
    missFor("'30 minutes'");
    for (int i = 0; i < 3; i++) {
      queues.start(jobs, job -> seen.add(job.due().orElseThrow().toString()));
    }
    awaitUpToDate();
    // A minute may have passed meanwhile.
    assertThat(seen).doesNotHaveDuplicates().hasSizeBetween(31, 40);
  }

  @ParameterizedTest(name = "at most {0}: {1}")
  @CsvSource({"0, 0", "1, 1", "5, 1"})
  void a_time_of_day_that_was_missed_is_made_up_for_if_so_said(int most, int expected)
      throws Exception {
    LocalDateTime missed = LocalDateTime.now(ZoneOffset.UTC).minusMinutes(10);
    String daily = "%d %d * * *".formatted(missed.getMinute(), missed.getHour());
    jobs.schedule(recurring(Recurrence.cron(daily, ZoneOffset.UTC), new MissedRuns(most)));
    assertThat(queues.number("SELECT count(*) FROM $.recurring WHERE next_at > now()"))
        .isEqualTo(1);
    queues.run("UPDATE $.recurring SET next_at = next_at - interval '1 day'");
    queues.start(jobs, job -> seen.add(job.payload()));
    awaitUpToDate();
    assertThat(seen).hasSize(expected);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "7, 7"})
  void of_many_missed_times_the_latest_are_made_up_for(int most, int expected) throws Exception {
    jobs.schedule(recurring(EVERY_MINUTE, new MissedRuns(most)));
    missFor("'3 hours'");
    Instant before = Instant.now().minusSeconds(60L * (expected + 2));
    queues.start(jobs, job -> seen.add(job.due().orElseThrow().toString()));
    queues.awaitNumber(
        "SELECT count(*) FROM $.recurring WHERE next_at <= now()", count -> count == 0);
    queues.awaitEmpty();
    // One more if a minute began meanwhile.
    assertThat(seen).hasSizeBetween(expected, expected + 1);
    assertThat(seen).allSatisfy(due -> assertThat(Instant.parse(due)).isAfter(before));
  }

  @Test
  void a_fixed_delay_counts_from_the_end_of_a_run() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    jobs.schedule(recurring(Recurrence.delay(Duration.ofHours(2)), MissedRuns.runOnce()));
    queues.start(
        queues.jobs(time, recorder),
        job -> {
          seen.add("run");
          begun.countDown();
          end.await();
        },
        w -> w.leaseTime(Duration.ofHours(1)));
    time.passUntil("it runs", () -> begun.getCount() == 0);
    queues.run("UPDATE $.recurring SET next_at = now()");
    time.pass(Duration.ofMinutes(1));
    time.pass(Duration.ofMinutes(1));
    time.awaitRest();
    assertThat(queues.unfinished()).as("the run has not ended").isEqualTo(1);
    end.countDown();
    String rests =
        "SELECT count(*) FROM $.recurring WHERE last_job IS NULL"
            + " AND next_at - now() BETWEEN interval '1 hour' AND interval '2 hours'";
    queues.awaitNumber(rests, count -> count == 1);
    assertThat(queues.unfinished()).isZero();
    queues.run("UPDATE $.recurring SET next_at = now()");
    time.passUntil("it runs again", () -> seen.size() == 2);
    queues.awaitNumber(rests, count -> count == 1);
  }

  @Test
  void a_run_that_fails_keeps_its_time_in_every_attempt_and_as_a_dead_letter() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    RecurringJob twice = RecurringJob.of("r", EVERY_MINUTE, job("1").maxAttempts(2));
    jobs.schedule(twice);
    missFor("'1 minute'");
    queues.start(
        jobs,
        job -> {
          seen.add(job.due().orElseThrow().toString());
          if (runs.incrementAndGet() < 3) {
            throw new IllegalStateException("not yet");
          }
        });
    queues.awaitNumber("SELECT count(*) FROM $.finished", count -> count > 0);
    assertThat(jobs.unschedule("r")).isTrue();
    assertThat(jobs.unschedule("r")).isFalse();
    jobs.deadLetters(Queues.QUEUE).redriveOldest(10);
    queues.awaitEmpty();
    String first = seen.element();
    assertThat(seen.stream().filter(first::equals)).hasSize(3);
  }

  @Test
  void a_job_that_is_scheduled_again_keeps_its_times_unless_they_have_changed() throws Exception {
    String missed = "SELECT count(*) FROM $.recurring WHERE next_at <= now()";
    jobs.schedule(recurring(EVERY_MINUTE, MissedRuns.runOnce()));
    missFor("'1 hour'");
    jobs.schedule(RecurringJob.of("r", EVERY_MINUTE, job("2").priority(3).group("g")));
    assertThat(queues.number(missed)).isEqualTo(1);
    assertThat(queues.number("SELECT payload::int FROM $.recurring")).isEqualTo(2);
    jobs.schedule(recurring(Recurrence.cron("0 * * * *", ZoneOffset.UTC), MissedRuns.runOnce()));
    assertThat(queues.number(missed)).isZero();
    assertThat(queues.number("SELECT count(*) FROM $.recurring")).isEqualTo(1);
  }

  @Test
  void a_recurrence_that_a_worker_does_not_understand_holds_up_no_other() throws Exception {
    jobs.schedule(RecurringJob.of("newer", EVERY_MINUTE, job("1")));
    queues.run("UPDATE $.recurring SET schedule = 'lunar 3', next_at = now() - interval '1 hour'");
    jobs.schedule(RecurringJob.of("r", Recurrence.delay(Duration.ofHours(1)), job("2")));
    queues.start(jobs, job -> seen.add(job.payload()));
    Eventually.until("the other runs", () -> seen.contains("2"));
    assertThat(seen).containsExactly("2");
    assertThat(recorder.heard(JobListener.Trouble.class)).isNotEmpty();
  }

  @Test
  void a_key_leaves_out_a_run_while_the_one_before_is_unfinished() throws Exception {
    jobs.schedule(RecurringJob.of("r", EVERY_MINUTE, job("1").uniqueKey("k")));
    missFor("'0 minutes'");
    jobs.enqueue(job("0").uniqueKey("k"));
    assertThat(recur()).isZero();
    jobs.cancel(queues.number("SELECT id FROM $.job"));
    assertThat(recur()).isEqualTo(1);
  }

  private long recur() {
    return queues.number(
        "SELECT $.recur(name, next_at, NULL, ARRAY[next_at], next_at + interval '1 minute', false)"
            + " FROM $.recurring");
  }

  @Test
  void what_makes_no_sense_is_refused() {
    assertThatThrownBy(
            () -> RecurringJob.of("r", EVERY_MINUTE, job("1").after(Duration.ofHours(1))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RecurringJob.of(" ", EVERY_MINUTE, job("1")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MissedRuns(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> jobs.schedule(RecurringJob.of("r", EVERY_MINUTE, job("secret{"))))
        .isInstanceOf(InvalidPayloadException.class);
  }
}
