// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.FencingGuard;
import io.holdfast.testkit.servers.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose job it is: what a worker does that is cut off, and what others do then. */
@Tag("postgresql")
class ClaimsTest {
  private static final Duration LEASE = Duration.ofMinutes(10);

  private final Recorder cutOff = new Recorder();
  private final Recorder others = new Recorder();
  private final ManualWorkerTime time = new ManualWorkerTime();
  private final ManualWorkerTime later = new ManualWorkerTime();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private Queues queues;
  private Jobs jobs;

  @BeforeEach
  void open() throws SQLException {
    queues = new Queues();
    jobs = queues.jobs(others);
  }

  @AfterEach
  void close() {
    queues.close();
  }

  @Test
  void a_worker_that_cannot_say_that_it_lives_stops_its_jobs_before_another_begins()
      throws Exception {
    jobs.enqueue(job("1"));
    AtomicReference<JobContext> first = new AtomicReference<>();
    queues.start(
        queues.behindTheNetwork(time, cutOff),
        job -> {
          seen.add("began");
          first.set(job);
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException told) {
            seen.add("was told, held " + job.isHeld());
          }
        },
        w -> w.leaseTime(LEASE));
    time.passUntil("it runs", () -> first.get() != null);
    time.awaitRest();
    queues.network().loseEverything();
    time.pass(LEASE.multipliedBy(8).dividedBy(10));
    assertThat(first.get().isHeld()).isTrue();
    time.advance(LEASE.dividedBy(10));
    Eventually.until("it was told", () -> seen.size() == 2);
    assertThat(alive()).as("others may not take its jobs yet").isEqualTo(1);
    expire();
    startAnother(
        job -> {
          seen.add("attempt " + job.attempt() + " of another");
          assertThat(job.token().isNewerThan(first.get().token())).isTrue();
        });
    later.passUntil("all is done", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("began", "was told, held false", "attempt 2 of another");
    assertThat(others.heard(JobListener.Rescued.class)).hasSize(1);
    assertThat(cutOff.heard(JobListener.Lost.class).get(0).cause())
        .isEqualTo(JobListener.LossOfClaim.HEARTBEAT);
    queues.network().heal();
    time.passUntil(
        "its result is refused", () -> cutOff.heard(JobListener.Stale.class).size() == 1);
    assertThat(cutOff.heard(JobListener.Stale.class).get(0).result())
        .isEqualTo(JobListener.Result.COMPLETED);
    Eventually.until("told", () -> others.heard(JobListener.Completed.class).size() == 1);
  }

  /** Starts another worker, and lets time pass for it until it has looked after the dead. */
  private void startAnother(JobHandler handler) throws SQLException {
    queues.start(queues.jobs(later, others), handler, w -> w.leaseTime(LEASE));
    later.passUntil("it lives", () -> alive() == 1);
    // For a lease time it only watches the database's clock.
    for (int thirds = 0; thirds < 5; thirds++) {
      later.pass(LEASE.dividedBy(3));
    }
  }

  private long alive() {
    return queues.number("SELECT count(*) FROM $.worker WHERE until > now()");
  }

  /** Lets the lease time of all workers be over, as the database sees it. */
  private void expire() {
    queues.run("UPDATE $.worker SET until = now()");
  }

  @Test
  void after_it_was_cut_off_a_worker_begins_another_life() throws Exception {
    Worker worker =
        queues.start(
            queues.behindTheNetwork(time, cutOff),
            job -> seen.add(job.payload()),
            w -> w.leaseTime(LEASE));
    jobs.enqueue(job("1"));
    time.passUntil("the first is done", () -> queues.unfinished() == 0);
    time.awaitRest();
    queues.network().loseEverything();
    time.pass(LEASE);
    expire();
    queues.network().heal();
    jobs.enqueue(job("2"));
    time.passUntil("the second is done", () -> queues.unfinished() == 0);
    assertThat(seen).containsExactly("1", "2");
    assertThat(alive()).isEqualTo(1);
    Eventually.until("it rests", () -> worker.running() == 0);
  }

  @Test
  void a_heartbeat_that_comes_too_late_does_not_revive_a_worker() {
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    String beat = "SELECT ($.heartbeat(%d, 60000000, '{}', '{}') IS NULL)::int".formatted(worker);
    assertThat(queues.number(beat)).as("refused while it lives").isZero();
    expire();
    assertThat(queues.number(beat)).as("refused when its time is over").isEqualTo(1);
    assertThat(alive()).isZero();
  }

  @Test
  void a_dead_worker_can_claim_nothing() throws Exception {
    jobs.enqueue(Queues.jobs(3));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    String claim = "SELECT count(*) FROM " + queues.claim(worker, 1);
    assertThat(queues.number(claim)).isEqualTo(1);
    queues.run("UPDATE $.worker SET until = now()");
    assertThat(queues.number(claim)).isZero();
    assertThat(queues.number("SELECT count(*) FROM $.rescue()")).isEqualTo(1);
    assertThat(queues.number(claim)).isZero();
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 1")).isEqualTo(3);
  }

  @Test
  void a_rescue_waits_for_no_claim_and_misses_none() throws Exception {
    jobs.enqueue(Queues.jobs(3));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    try (Connection claiming = queues.dataSource().getConnection();
        Statement statement = claiming.createStatement()) {
      claiming.setAutoCommit(false);
      statement.execute(queues.named("SELECT * FROM " + queues.claim(worker, 2)));
      queues.run("UPDATE $.worker SET until = now()");
      // The claim under way keeps the worker's row; its jobs are not to be seen yet.
      assertThat(queues.number("SELECT count(*) FROM $.rescue()")).isZero();
      claiming.commit();
    }
    assertThat(queues.number("SELECT count(*) FROM $.rescue()")).isEqualTo(2);
  }

  @Test
  void a_job_whose_workers_die_every_time_becomes_a_dead_letter() throws Exception {
    jobs.enqueue(job("1").maxAttempts(2));
    for (int i = 0; i < 2; i++) {
      long worker = queues.number("SELECT $.register('q', 'mine', 1)");
      queues.run("UPDATE $.worker SET until = now() + interval '1 minute'");
      queues.run("SELECT " + queues.claim(worker, 1));
      queues.run("UPDATE $.worker SET until = now()");
      assertThat(queues.number("SELECT count(*) FROM $.rescue()")).isEqualTo(1);
    }
    assertThat(queues.unfinished()).isZero();
    assertThat(jobs.deadLetters(Queues.QUEUE).list(1).get(0).error()).isEqualTo("its worker died");
  }

  @Test
  void a_job_that_is_completed_in_the_handlers_transaction_is_done_with_it_or_not_at_all()
      throws Exception {
    queues.run("CREATE TABLE $.effect (job bigint)");
    jobs.enqueue(job("1"));
    queues.start(
        jobs,
        job -> {
          try (Connection connection = queues.dataSource().getConnection();
              Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> job.complete(connection))
                .isInstanceOf(IllegalStateException.class);
            connection.setAutoCommit(false);
            job.complete(connection);
            statement.execute(
                "INSERT INTO " + queues.schema() + ".effect VALUES (" + job.id() + ")");
            if (job.attempt() == 1) {
              connection.rollback();
              throw new IllegalStateException("the first time it fails");
            }
            connection.commit();
          }
        });
    queues.awaitEmpty();
    assertThat(queues.number("SELECT count(*) FROM $.effect")).isEqualTo(1);
    Eventually.until("told", () -> others.heard(JobListener.Completed.class).size() == 1);
    assertThat(others.heard(JobListener.Stale.class)).isEmpty();
  }

  @Test
  void whoever_lost_its_claim_can_neither_complete_nor_pass_the_guard() throws Exception {
    queues.run(FencingGuard.table("x").ddl());
    String resource = "account of " + queues.schema();
    jobs.enqueue(job("1"));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch takenOver = new CountDownLatch(1);
    queues.start(
        queues.behindTheNetwork(time, cutOff),
        job -> {
          begun.countDown();
          awaitUninterrupted(takenOver);
          assertThatThrownBy(job::requireHeld).isInstanceOf(ClaimLostException.class);
          try (Connection connection = queues.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> job.complete(connection))
                .isInstanceOf(ClaimLostException.class);
            connection.rollback();
          }
          assertThatThrownBy(
                  () ->
                      FencingGuard.table(resource)
                          .in(queues.dataSource())
                          .with(job.token())
                          .call(connection -> seen.add("zombie")))
              .isInstanceOf(StaleTokenException.class);
          seen.add("refused");
        },
        w -> w.leaseTime(LEASE));
    time.passUntil("it runs", () -> begun.getCount() == 0);
    time.awaitRest();
    queues.network().loseEverything();
    time.pass(LEASE);
    expire();
    startAnother(
        job -> {
          FencingGuard.table(resource)
              .in(queues.dataSource())
              .with(job.token())
              .call(connection -> seen.add("second"));
          takenOver.countDown();
        });
    later.passUntil("both were there", () -> seen.size() == 2);
    assertThat(seen).containsExactly("second", "refused");
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignoredByABadHandler) {
        // It goes on, as code does that knows nothing of interrupts.
      }
    }
  }

  @Test
  void a_rescue_that_races_completions_loses_no_job_and_repeats_none() throws Exception {
    for (int round = 0; round < 20; round++) {
      jobs.enqueue(Queues.jobs(50));
      long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
      queues.run("SELECT " + queues.claim(worker, 50));
      queues.run("UPDATE $.worker SET until = now()");
      Thread rescue = new Thread(() -> queues.run("SELECT $.rescue()"));
      rescue.start();
      long done =
          queues.number(
              "SELECT count(*) FROM $.complete((SELECT array_agg(id ORDER BY id) FROM $.job),"
                  + " (SELECT array_agg(token ORDER BY id) FROM $.job), false)");
      rescue.join();
      assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 1")).isEqualTo(50 - done);
      assertThat(queues.unfinished()).isEqualTo(50 - done);
      queues.run("DELETE FROM $.job");
    }
  }
}
