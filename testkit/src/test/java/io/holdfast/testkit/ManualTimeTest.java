// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ManualTimeTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = new ManualTime();
  private final Moment begin = time.now();
  private final List<String> happened = new ArrayList<>();

  private Duration elapsed() {
    return Duration.ofNanos(time.now().monotonicNanos() - begin.monotonicNanos());
  }

  private Duration elapsedByWall() {
    return Duration.ofNanos(time.now().wallNanos() - begin.wallNanos());
  }

  private void note(String what, Duration after) {
    time.after(after, () -> happened.add(what + " at " + elapsed().toMillis()));
  }

  @Test
  void time_stands_still_by_itself() {
    assertThat(time.now()).isEqualTo(begin);
  }

  @Test
  void both_clocks_advance_together() {
    time.advance(SECOND);
    assertThat(elapsed()).isEqualTo(SECOND);
    assertThat(elapsedByWall()).isEqualTo(SECOND);
  }

  @Test
  void tasks_run_in_the_order_of_their_times_each_at_its_own_time() {
    note("late", Duration.ofMillis(300));
    note("early", Duration.ofMillis(100));
    note("middle", Duration.ofMillis(200));
    time.advance(SECOND);
    assertThat(happened).containsExactly("early at 100", "middle at 200", "late at 300");
    assertThat(elapsed()).isEqualTo(SECOND);
  }

  @Test
  void tasks_of_one_time_run_in_the_order_in_which_they_were_queued() {
    note("first", SECOND);
    note("second", SECOND);
    time.advance(SECOND);
    assertThat(happened).containsExactly("first at 1000", "second at 1000");
  }

  @Test
  void what_a_task_queues_runs_in_the_same_advance_if_it_becomes_due() {
    time.after(
        Duration.ofMillis(100),
        () -> {
          note("soon", Duration.ofMillis(50));
          note("too late", SECOND);
        });
    time.advance(SECOND);
    assertThat(happened).containsExactly("soon at 150");
    assertThat(time.pending()).isEqualTo(1);
  }

  @Test
  void a_task_that_is_not_due_does_not_run() {
    note("later", SECOND);
    time.advance(SECOND.minusNanos(1));
    assertThat(happened).isEmpty();
    time.advance(Duration.ofNanos(1));
    assertThat(happened).containsExactly("later at 1000");
  }

  @Test
  void a_task_without_delay_runs_at_the_next_advance_and_not_at_once() {
    note("now", Duration.ZERO);
    note("long ago", Duration.ofSeconds(-5));
    assertThat(happened).isEmpty();
    time.advance(Duration.ZERO);
    assertThat(happened).containsExactly("now at 0", "long ago at 0");
  }

  @Test
  void a_delay_may_be_longer_than_any_test() {
    time.advance(SECOND);
    note("never", Duration.ofSeconds(Long.MAX_VALUE));
    time.advance(Duration.ofDays(365));
    assertThat(happened).isEmpty();
  }

  @Test
  void setting_the_wall_clock_takes_no_time() {
    note("later", SECOND);
    time.jumpWall(Duration.ofHours(-1));
    assertThat(elapsed()).isZero();
    assertThat(elapsedByWall()).isEqualTo(Duration.ofHours(-1));
    assertThat(happened).isEmpty();
  }

  @Test
  void while_the_machine_is_suspended_only_the_wall_clock_goes_on() {
    note("later", SECOND);
    time.suspend(Duration.ofHours(1));
    assertThat(elapsed()).isZero();
    assertThat(time.now().since(begin)).isEqualTo(Duration.ofHours(1));
    assertThat(happened).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> time.suspend(SECOND.negated()));
  }

  @Test
  void time_does_not_go_back() {
    assertThatIllegalArgumentException().isThrownBy(() -> time.advance(SECOND.negated()));
  }

  @Test
  void a_task_does_not_advance_the_time_that_it_runs_in() {
    time.after(SECOND, () -> time.advance(SECOND));
    assertThatIllegalStateException().isThrownBy(() -> time.advance(SECOND));
  }

  @Test
  void a_task_that_fails_ends_the_advance_at_its_time_and_the_rest_can_go_on() {
    RuntimeException failure = new RuntimeException("the task failed");
    time.after(
        Duration.ofMillis(100),
        () -> {
          throw failure;
        });
    note("next", Duration.ofMillis(200));
    assertThatThrownBy(() -> time.advance(SECOND)).isSameAs(failure);
    assertThat(elapsed()).isEqualTo(Duration.ofMillis(100));
    time.advance(SECOND);
    assertThat(happened).containsExactly("next at 200");
  }

  @Test
  void many_threads_may_queue_and_advance() throws InterruptedException {
    int threads = 4;
    int rounds = 500;
    AtomicInteger ran = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  time.after(Duration.ofMillis(round % 7), ran::incrementAndGet);
                  time.advance(Duration.ofMillis(1));
                }
                done.countDown();
              });
      thread.setDaemon(true);
      thread.start();
    }
    done.await();
    time.advance(SECOND);
    assertThat(ran).hasValue(threads * rounds);
    assertThat(elapsed()).isEqualTo(SECOND.plusMillis((long) threads * rounds));
  }
}
