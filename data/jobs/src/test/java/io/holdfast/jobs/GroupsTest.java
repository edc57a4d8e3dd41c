// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import static io.holdfast.jobs.Queues.job;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.FencingGuard;
import io.holdfast.testkit.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs of one group run one after the other, by however many workers. */
@Tag("postgresql")
class GroupsTest extends JobsTest {
  @Test
  void jobs_on_one_resource_pass_its_guard_in_their_order_and_none_is_refused() throws Exception {
    queues.run(FencingGuard.table("x").ddl());
    String account = "account of " + queues.schema();
    jobs.enqueue(Queues.jobs(100).stream().map(job -> job.group("account")).toList());
    for (int i = 0; i < 2; i++) {
      queues.start(
          jobs,
          job ->
              FencingGuard.table(account)
                  .in(queues.dataSource())
                  .with(job.token())
                  .call(connection -> seen.add(job.payload())),
          w -> w.concurrency(10));
    }
    queues.awaitEmpty();
    Eventually.until(
        "all are told", () -> recorder.heard(JobListener.Completed.class).size() == 100);
    assertThat(recorder.heard(JobListener.Failed.class)).isEmpty();
    assertThat(seen).hasSize(100);
  }

  @Test
  void jobs_of_one_group_do_not_overlap_and_jobs_of_others_do_not_wait_for_them() throws Exception {
    Set<String> running = ConcurrentHashMap.newKeySet();
    CountDownLatch others = new CountDownLatch(5);
    for (int i = 0; i < 30; i++) {
      jobs.enqueue(job(Integer.toString(i)).group("one"));
    }
    for (int i = 0; i < 5; i++) {
      jobs.enqueue(job("0").group("other " + i));
    }
    for (int i = 0; i < 2; i++) {
      queues.start(
          jobs,
          job -> {
            String group = groupOf(job.id());
            assertThat(running.add(group)).isTrue();
            seen.add(group.equals("one") ? job.payload() : group);
            if (group.equals("one") && job.payload().equals("0")) {
              others.await();
            }
            running.remove(group);
            if (!group.equals("one")) {
              others.countDown();
            }
          },
          w -> w.concurrency(4));
    }
    queues.awaitEmpty();
    assertThat(recorder.heard(JobListener.Failed.class)).isEmpty();
    List<String> ofOne = seen.stream().filter(each -> !each.startsWith("other")).toList();
    assertThat(ofOne)
        .containsExactlyElementsOf(IntStream.range(0, 30).mapToObj(Integer::toString).toList());
  }

  private String groupOf(long id) {
    return queues.number("SELECT (group_key = 'one')::int FROM $.job WHERE id = " + id) == 1
        ? "one"
        : "other of job " + id;
  }

  @Test
  void a_job_that_failed_lets_others_of_its_group_go_first_and_dead_ones_hold_nobody_up()
      throws Exception {
    jobs.enqueue(job("1").group("g").maxAttempts(1));
    jobs.enqueue(job("2").group("g").maxAttempts(2));
    jobs.enqueue(job("3").group("g"));
    queues.start(
        jobs,
        job -> {
          seen.add(job.payload());
          if (!job.payload().equals("3")) {
            throw new IllegalStateException("no");
          }
        },
        w -> w.retries(new RetryPolicy(Duration.ofHours(1), Duration.ofHours(1))));
    queues.awaitNumber("SELECT count(*) FROM $.job WHERE payload = '3'", count -> count == 0);
    assertThat(seen).containsExactly("1", "2", "3");
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state = 0")).isEqualTo(1);
  }

  @Test
  void a_group_goes_on_after_a_death_a_cancellation_and_a_completion_that_was_not_told()
      throws Exception {
    jobs.enqueue(
        List.of(
            job("1").group("g").maxAttempts(1),
            job("2").group("g"),
            job("3").group("g"),
            job("4").group("g")));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    String claim = "SELECT coalesce(max(payload::int), 0) FROM " + queues.claim(worker, 9);
    assertThat(queues.number(claim)).isEqualTo(1);
    assertThat(queues.number(claim)).isZero();
    queues.run("UPDATE $.worker SET until = now()");
    queues.run("SELECT $.rescue()");
    worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    claim = "SELECT coalesce(max(payload::int), 0) FROM " + queues.claim(worker, 9);
    assertThat(queues.number(claim)).isEqualTo(2);
    assertThat(jobs.cancel(queues.number("SELECT id FROM $.job WHERE state = 2"))).isPresent();
    assertThat(queues.number(claim)).isEqualTo(3);
    queues.run("SELECT $.complete_within(id, token, false) FROM $.job WHERE state = 2");
    assertThat(queues.number(claim)).isZero();
    queues.run("SELECT $.rescue()");
    assertThat(queues.number(claim)).isEqualTo(4);
  }

  @Test
  void a_group_runs_as_many_at_once_as_its_queue_says() throws Exception {
    jobs.queue(Queues.QUEUE).limitPerGroup(3);
    jobs.enqueue(Queues.jobs(8).stream().map(job -> job.group("g")).toList());
    CountDownLatch go = new CountDownLatch(1);
    queues.start(
        jobs,
        job -> {
          seen.add(job.payload());
          go.await();
        });
    Eventually.until("three run", () -> seen.size() == 3);
    assertThat(queues.number("SELECT count(*) FROM $.job WHERE state IN (1, 2)")).isEqualTo(3);
    assertThat(jobs.health().queue(Queues.QUEUE).orElseThrow().depth(JobState.WAITING))
        .isEqualTo(5);
    jobs.queue(Queues.QUEUE).limitPerGroup(4);
    Eventually.until("four run", () -> seen.size() == 4);
    go.countDown();
    queues.awaitEmpty();
  }

  private long claimed(long worker, int room) {
    return queues.number("SELECT count(*) FROM " + queues.claim(worker, room));
  }

  @Test
  void all_workers_together_have_no_more_jobs_of_a_queue_than_its_limit() throws Exception {
    JobQueue queue = jobs.queue(Queues.QUEUE);
    queue.limit(3);
    jobs.enqueue(Queues.jobs(20));
    jobs.enqueue(NewJob.of("another", "1"));
    long one = queues.number("SELECT $.register('q', 'one', 60000000)");
    long other = queues.number("SELECT $.register('q', 'other', 60000000)");
    assertThat(claimed(one, 2)).isEqualTo(2);
    assertThat(claimed(other, 2)).isEqualTo(1);
    assertThat(claimed(one, 2)).isZero();
    queues.run("SELECT $.release(ARRAY[min(id)], ARRAY[min(token)]) FROM $.job WHERE state = 2");
    assertThat(claimed(other, 2)).isEqualTo(1);
    queue.unlimited();
    assertThat(claimed(one, 4)).isEqualTo(4);
    queues.run("SELECT $.leave(" + one + "), $.leave(" + other + ")");
    queue.limit(2);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      queues.start(
          jobs,
          job -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            seen.add(job.payload());
            now.decrementAndGet();
          });
    }
    queues.awaitNumber("SELECT count(*) FROM $.job WHERE queue = 'q'", count -> count == 0);
    assertThat(seen).hasSize(20);
    assertThat(most.get()).isLessThanOrEqualTo(2);
  }

  @Test
  void a_queue_that_is_paused_gives_no_jobs_and_takes_them() throws Exception {
    JobQueue queue = jobs.queue(Queues.QUEUE);
    assertThat(queue.isPaused()).isFalse();
    queue.pause();
    assertThat(queue.isPaused()).isTrue();
    jobs.enqueue(job("1"));
    jobs.enqueue(NewJob.of("another", "1"));
    queues.start(jobs, job -> seen.add(job.payload()));
    queues.start(queues.jobs(), job -> seen.add("another"), w -> w, "another");
    Eventually.until("another queue goes on", () -> seen.contains("another"));
    long worker = queues.number("SELECT $.register('q', 'mine', 60000000)");
    assertThat(claimed(worker, 2)).isZero();
    queue.resume();
    queues.awaitEmpty();
    assertThat(seen).containsExactly("another", "1");
  }
}
