// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import io.holdfast.testkit.servers.SettableClock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database whose clock is set while workers work. */
@Tag("postgresql")
class ServerClockTest {
  private static final Duration LEASE = Duration.ofMinutes(30);
  private static final String ALIVE =
      "SELECT count(*) FROM $.worker WHERE until > clock_timestamp()";

  private final ManualWorkerTime time = new ManualWorkerTime();
  private final ManualWorkerTime others = new ManualWorkerTime();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private final CountDownLatch begun = new CountDownLatch(1);

  /** The first handler waits for it, so that a test that fails comes to its end. */
  private final CountDownLatch end = new CountDownLatch(1);

  private SettableClock clock;
  private Queues queues;

  @BeforeEach
  void open() {
    clock = SettableClock.find();
    queues = new Queues(PostgresServer.startWith(clock));
  }

  @AfterEach
  void close() {
    end.countDown();
    if (queues != null) {
      queues.close();
      clock.close();
    }
  }

  /** Runs a job until it is interrupted. */
  private void startTheFirst() throws Exception {
    queues.start(
        queues.jobs(time),
        job -> {
          seen.add("began");
          begun.countDown();
          try {
            end.await();
          } catch (InterruptedException told) {
            seen.add("was told");
            throw told;
          }
        },
        w -> w.leaseTime(LEASE).concurrency(1));
    time.passUntil("it runs", () -> begun.getCount() == 0);
    time.awaitRest();
  }

  private void startAnother() throws Exception {
    long before = queues.number(ALIVE);
    queues.start(
        queues.jobs(others),
        job -> seen.add("another, attempt " + job.attempt()),
        w -> w.leaseTime(LEASE).retries(new RetryPolicy(LEASE, LEASE)));
    others.passUntil("it lives", () -> queues.number(ALIVE) > before);
  }

  /** Lets time pass for the other worker, no faster than it can follow, until it is so. */
  private void passUntil(String what, BooleanSupplier isSo) {
    for (int looks = 0; !isSo.getAsBoolean(); looks++) {
      assertThat(looks).as("looks for the dead until " + what).isLessThan(12);
      passALook();
    }
  }

  /** So long that the other worker has looked for the dead, and for jobs. */
  private void passALook() {
    others.pass(LEASE.dividedBy(3));
    for (int polls = 0; polls < 3; polls++) {
      others.pass(Duration.ofSeconds(1));
    }
    others.awaitRest();
  }

  private long running() {
    return queues.number("SELECT count(*) FROM $.job WHERE state = 2 AND attempt = 1");
  }

  @Test
  void jobs_of_workers_that_live_are_not_taken_when_the_databases_clock_is_set_forward()
      throws Exception {
    queues.jobs().enqueue(job("1"));
    startTheFirst();
    startAnother();
    for (int looks = 0; looks < 5; looks++) {
      passALook();
    }
    assertThat(queues.number(ALIVE)).isEqualTo(2);
    clock.set(Duration.ofHours(5));
    assertThat(queues.number(ALIVE)).as("all workers look dead").isZero();
    passALook();
    passALook();
    assertThat(queues.number(ALIVE)).as("the other lives on in a new life").isEqualTo(1);
    assertThat(seen).as("the first does not know yet").containsExactly("began");
    assertThat(running()).isEqualTo(1);
    time.pass(LEASE.dividedBy(3)); // Its heartbeat is refused.
    Eventually.until("it was told", () -> seen.size() == 2);
    passUntil("it is tried again", () -> seen.size() == 3);
    assertThat(seen).containsExactly("began", "was told", "another, attempt 2");
  }

  @Test
  void the_dead_are_found_by_a_worker_that_has_seen_the_clock_go_on_for_a_lease_time()
      throws Exception {
    queues.jobs().enqueue(job("1"));
    long dead = queues.number("SELECT $.register('q', 'dead', 60000000)");
    queues.run("SELECT " + queues.claim(dead, 1));
    queues.run("UPDATE $.worker SET until = clock_timestamp()");
    startAnother();
    passUntil("its job has run", () -> !seen.isEmpty());
    assertThat(seen).containsExactly("another, attempt 2");
  }
}
