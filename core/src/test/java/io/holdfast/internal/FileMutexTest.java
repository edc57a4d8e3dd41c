// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileMutexTest {
  @TempDir private Path folder;

  @Test
  void the_threads_of_one_process_exclude_each_other() throws Exception {
    int[] count = new int[1];
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (FileMutex mutex = mutex()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(threads.submit(() -> increment(mutex, count)));
      }
      for (Future<?> one : all) {
        one.get(20, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdown();
    }
    assertThat(count[0]).isEqualTo(4_000);
  }

  private static Void increment(FileMutex mutex, int[] count) throws IOException {
    for (int i = 0; i < 1_000; i++) {
      mutex.in(3, () -> count[0]++);
    }
    return null;
  }

  @Test
  void different_places_do_not_wait_for_each_other() throws Exception {
    try (FileMutex mutex = mutex()) {
      assertThat(mutex.in(1, () -> mutex.in(2, () -> mutex.in(FileMutex.TOKENS, () -> "in"))))
          .isEqualTo("in");
    }
  }

  @Test
  void an_interrupt_that_a_callback_left_does_not_close_the_file_under_the_others()
      throws Exception {
    try (FileMutex mutex = mutex()) {
      Thread.currentThread().interrupt();
      assertThat(mutex.in(1, () -> "in")).isEqualTo("in");
      assertThat(mutex.in(1, () -> "in again")).isEqualTo("in again");
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void one_that_was_deleted_or_replaced_lets_nobody_in() throws Exception {
    try (FileMutex mutex = mutex()) {
      Files.delete(folder.resolve("mutex"));
      assertThatThrownBy(() -> mutex.in(1, () -> "in")).isInstanceOf(UnfitException.class);
      try (FileMutex other = mutex()) {
        assertThat(other.in(1, () -> "in")).isEqualTo("in");
        assertThatThrownBy(() -> mutex.in(1, () -> "in")).isInstanceOf(UnfitException.class);
      }
    }
  }

  private FileMutex mutex() throws IOException {
    return new FileMutex(folder.resolve("mutex"));
  }
}
