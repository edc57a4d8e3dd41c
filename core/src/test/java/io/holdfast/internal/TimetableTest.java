// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimetableTest {
  private final SteppedTime time = new SteppedTime();
  private final List<String> ran = new ArrayList<>();
  private int flushes;
  private final Timetable timetable = new Timetable(time, () -> flushes++);

  @Nested
  class WhatIsDue {
    @Test
    void runs_when_its_time_has_come_and_not_before() {
      timetable.schedule(note("a"), nanosIn(50));
      time.advanceMillis(49);
      assertThat(ran).isEmpty();
      time.advanceMillis(1);
      assertThat(ran).containsExactly("a");
    }

    @Test
    void runs_in_the_order_of_its_time_whatever_the_order_of_arrival() {
      timetable.schedule(note("late"), nanosIn(30));
      timetable.schedule(note("early"), nanosIn(10));
      timetable.schedule(note("middle"), nanosIn(20));
      time.advanceMillis(40);
      assertThat(ran).containsExactly("early", "middle", "late");
    }

    @Test
    void does_not_run_once_it_was_cancelled() {
      Note cancelled = note("cancelled");
      timetable.schedule(cancelled, nanosIn(10));
      timetable.cancel(cancelled);
      time.advanceMillis(20);
      assertThat(ran).isEmpty();
      assertThat(timetable.size()).isZero();
    }

    @Test
    void shares_one_flush_when_it_falls_due_together() {
      timetable.schedule(note("a"), nanosIn(10));
      timetable.schedule(note("b"), nanosIn(10));
      time.advanceMillis(10);
      assertThat(ran).hasSize(2);
      assertThat(flushes).isEqualTo(1);
    }

    @Test
    void does_not_keep_others_from_running_when_it_fails() {
      timetable.schedule(
          new Timetable.Entry() {
            @Override
            void due(Moment now) {
              throw new AssertionError("on purpose");
            }
          },
          nanosIn(10));
      timetable.schedule(note("beside"), nanosIn(10));
      timetable.schedule(note("after"), nanosIn(20));
      time.advanceMillis(20);
      assertThat(ran).containsExactly("beside", "after");
    }

    @Test
    void goes_on_after_a_flush_that_failed() {
      Timetable failing =
          new Timetable(
              time,
              () -> {
                throw new AssertionError("on purpose");
              });
      failing.schedule(note("first"), nanosIn(10));
      failing.schedule(note("second"), nanosIn(20));
      time.advanceMillis(20);
      assertThat(ran).containsExactly("first", "second");
    }
  }

  @Nested
  class WakeUps {
    @Test
    void are_one_at_a_time_however_many_entries_come_and_go() {
      for (int i = 0; i < 1_000; i++) {
        Note entry = note("n" + i);
        timetable.schedule(entry, nanosIn(900 - i % 800));
        timetable.cancel(entry);
        time.advanceMillis(1);
      }
      timetable.schedule(note("last"), nanosIn(10));
      time.advanceMillis(2_000);
      assertThat(ran).containsExactly("last");
      assertThat(time.pending()).as("wake-ups that are still armed").isZero();
    }

    @Test
    void that_an_earlier_one_has_taken_over_from_do_not_go_on_beside_it() {
      timetable.schedule(note("late"), nanosIn(60_000));
      timetable.schedule(note("early"), nanosIn(10));
      time.advanceMillis(1_500);
      assertThat(ran).containsExactly("early");
      assertThat(time.pending()).as("wake-ups that are armed").isEqualTo(1);
    }

    @Test
    void look_at_everything_when_the_wall_clock_has_run_ahead() {
      timetable.schedule(note("lease"), nanosIn(60_000));
      time.jumpWallMillis(30_000);
      time.advanceMillis(1_000);
      assertThat(ran).containsExactly("lease");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void agrees_with_a_simple_queue_under_random_changes(long seed) {
    Random random = new Random(seed);
    Map<Note, Long> expected = new HashMap<>();
    List<Note> notes = new ArrayList<>();
    for (int step = 0; step < 3_000; step++) {
      if (notes.isEmpty() || random.nextInt(3) > 0) {
        Note entry =
            notes.isEmpty() || random.nextBoolean()
                ? note("n" + step)
                : notes.get(random.nextInt(notes.size()));
        long due = nanosIn(1 + random.nextInt(500)) + step;
        timetable.schedule(entry, due);
        expected.put(entry, due);
        notes.add(entry);
      } else {
        Note entry = notes.get(random.nextInt(notes.size()));
        timetable.cancel(entry);
        expected.remove(entry);
      }
    }
    PriorityQueue<Map.Entry<Note, Long>> inOrder =
        new PriorityQueue<>((one, other) -> Long.compare(one.getValue(), other.getValue()));
    inOrder.addAll(expected.entrySet());
    List<String> names = new ArrayList<>();
    while (!inOrder.isEmpty()) {
      names.add(inOrder.remove().getKey().name);
    }
    time.advanceMillis(1_000);
    assertThat(ran).isEqualTo(names);
    assertThat(timetable.size()).isZero();
  }

  private long nanosIn(long millis) {
    return time.now().monotonicNanos() + Duration.ofMillis(millis).toNanos();
  }

  private Note note(String name) {
    return new Note(name);
  }

  private final class Note extends Timetable.Entry {
    private final String name;

    Note(String name) {
      this.name = name;
    }

    @Override
    void due(Moment now) {
      ran.add(name);
    }
  }

  /** Time that stands still until it is told to go on. */
  private static final class SteppedTime implements TimeSource {
    private record Task(long atNanos, Runnable work) {}

    private final List<Task> tasks = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();
    private long wall;

    @Override
    public Moment now() {
      return new Moment(nanos, wall);
    }

    @Override
    public void after(Duration delay, Runnable task) {
      tasks.add(new Task(nanos + delay.toNanos(), task));
    }

    void advanceMillis(long millis) {
      for (long i = 0; i < millis; i++) {
        nanos += 1_000_000;
        wall += 1_000_000;
        List<Task> due = tasks.stream().filter(task -> task.atNanos - nanos <= 0).toList();
        tasks.removeAll(due);
        due.forEach(task -> task.work.run());
      }
    }

    void jumpWallMillis(long millis) {
      wall += millis * 1_000_000;
    }

    int pending() {
      return tasks.size();
    }
  }
}
