// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callbacks are user code, which may wait for anything. */
class CallbackThreadsTest {
  private final SystemTime time = new SystemTime();
  private final CallbackThreads threads = new CallbackThreads(time);

  @AfterEach
  void close() {
    threads.close();
    time.close();
  }

  @Test
  void callbacks_that_wait_for_each_other_all_get_a_thread() throws Exception {
    int count = 10 * Runtime.getRuntime().availableProcessors();
    CyclicBarrier all = new CyclicBarrier(count);
    List<CompletableFuture<Void>> ended = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ended.add(CompletableFuture.runAsync(() -> await(all), threads));
    }
    CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
  }

  @Test
  void after_a_standstill_callbacks_still_run() throws Exception {
    callbacks_that_wait_for_each_other_all_get_a_thread();
    CompletableFuture<String> next = CompletableFuture.supplyAsync(() -> "run", threads);
    assertThat(next.get(60, TimeUnit.SECONDS)).isEqualTo("run");
    callbacks_that_wait_for_each_other_all_get_a_thread();
  }

  private static void await(CyclicBarrier all) {
    try {
      all.await(60, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new AssertionError(broken);
    }
  }
}
