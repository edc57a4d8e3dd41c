// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.FencingGuard;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four worker processes that are killed and stopped at random. {@code -Dholdfast.seeds=N} (as
 * {@code ./verify --more-seeds N} sets it) makes it 100,000 jobs.
 */
@Tag("postgresql")
class ProcessesTest {
  private static final boolean LONG = System.getProperty("holdfast.seeds") != null;
  private static final int JOBS = Integer.getInteger("holdfast.jobs", LONG ? 100_000 : 3_000);
  private static final Duration TICK = Duration.ofMillis(50);
  private static final long SEED = Long.getLong("holdfast.seed", 20_260_101);

  private final Random random = new Random(SEED);
  private final List<Process> processes = new ArrayList<>();
  private Queues queues;
  private int kills;
  private int stops;

  @BeforeEach
  void open() {
    queues = new Queues(PostgresServer.start("max_connections=80", "synchronous_commit=off"));
  }

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    queues.close();
  }

  @Test
  void jobs_of_workers_that_are_killed_and_stopped_take_effect_exactly_once() throws Exception {
    Jobs jobs = queues.jobs();
    queues.run(queues.named(WorkerProcess.TABLES));
    queues.run("CREATE INDEX ON $.effect (job)");
    queues.run(FencingGuard.table("x").ddl());
    for (int i = 0; i < JOBS; i += 1000) {
      jobs.enqueue(Queues.jobs(1000).stream().map(job -> job.maxAttempts(10_000)).toList());
    }
    jobs.schedule(RecurringJob.of("tick", Recurrence.delay(TICK), Queues.job("0")));
    long begun = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      processes.add(start());
    }
    Eventually.until("work has begun", () -> queues.unfinished() < JOBS);
    while (queues.unfinished() > JOBS / 50 || kills == 0 || stops == 0) {
      fault();
    }
    assertThat(jobs.unschedule("tick")).isTrue();
    queues.awaitEmpty();
    end();
    report(Duration.ofNanos(System.nanoTime() - begun));
    everyEffectHappenedOnce();
    runsOverlapOnlyAfterALoss();
    everyTickWasOneJob();
  }

  private Process start() throws IOException {
    String url = queues.server().jdbcUrl();
    return WorkerProcess.start(url, queues.schema(), LONG ? 1 : 25);
  }

  /** Lets them work for a while; then kills one and starts another, or stops one for a while. */
  private void fault() throws Exception {
    Eventually.pass(Duration.ofMillis(400 + random.nextInt(1200)));
    int which = random.nextInt(processes.size());
    Process process = processes.get(which);
    if (kills == 0 || (stops > 0 && random.nextBoolean())) {
      process.destroyForcibly().waitFor();
      kills++;
      processes.set(which, start());
    } else {
      signal("STOP", process);
      stops++;
      // About as often for less than a lease time as for more.
      Eventually.pass(Duration.ofMillis(random.nextLong(2 * WorkerProcess.LEASE.toMillis())));
      signal("CONT", process);
    }
  }

  private static void signal(String name, Process process) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private void end() throws Exception {
    for (Process process : processes) {
      process.getOutputStream().close();
    }
    for (Process process : processes) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void report(Duration time) {
    System.out.printf(
        "%,d jobs in %d s, seed %d: %d kills, %d stops, %d workers lost, %,d runs, %d runs without an end, "
            + "%d timed out, %d ticks, %d pairs of runs that overlap%n",
        JOBS,
        time.toSeconds(),
        SEED,
        kills,
        stops,
        queues.number("SELECT count(*) FROM $.loss"),
        queues.number("SELECT count(*) FROM $.run"),
        queues.number("SELECT count(*) FROM $.run WHERE ended IS NULL"),
        queues.number("SELECT count(*) FROM $.timed_out"),
        queues.number("SELECT count(*) FROM $.tick"),
        queues.number("SELECT count(*) " + OVERLAPS));
  }

  private void everyEffectHappenedOnce() {
    assertThat(queues.number("SELECT count(*) FROM $.effect")).isEqualTo(JOBS);
    assertThat(queues.number("SELECT count(DISTINCT job) FROM $.effect")).isEqualTo(JOBS);
    assertThat(queues.number("SELECT count(*) FROM $.finished")).isZero();
  }

  private void everyTickWasOneJob() {
    assertThat(queues.number("SELECT count(*) FROM $.tick")).isPositive();
    assertThat(
            queues.number(
                "SELECT count(*) FROM (SELECT FROM $.tick GROUP BY due HAVING count(DISTINCT job) > 1)"
                    + " AS twice"))
        .isZero();
  }

  private static final String OVERLAPS =
      "FROM $.run AS older JOIN $.run AS newer ON newer.job = older.job"
          + " AND newer.token > older.token AND newer.began < older.ended";

  /**
   * A run that begins while an older one has not ended: that one's worker had lost its heartbeat,
   * or its time was over.
   */
  private void runsOverlapOnlyAfterALoss() {
    assertThat(
            queues.number(
                "SELECT count(*) "
                    + OVERLAPS
                    + " AND older.worker IS NOT NULL AND NOT EXISTS (SELECT FROM $.loss"
                    + " WHERE loss.worker = older.worker AND loss.until <= newer.began)"
                    + " AND NOT EXISTS (SELECT FROM $.timed_out WHERE token = older.token)"))
        .isZero();
  }
}
