// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class CrewTest {
  /** Time in which a busy machine lets each thread run once. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(1);

  /** What a thread has allocated is known only while it lives. */
  @Test
  void its_threads_live_whenever_counters_are_read() throws Exception {
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    List<Long> alive = new ArrayList<>();
    Crew.Result result =
        Crew.run(
            3,
            LONG_ENOUGH,
            LONG_ENOUGH,
            thread -> {
              workers.add(Thread.currentThread());
              Thread.sleep(1);
            },
            () -> {
              pause();
              alive.add(workers.stream().filter(Thread::isAlive).count());
            });
    assertThat(alive).containsExactly(3L, 3L);
    assertThat(result.operations()).hasSize(3).allMatch(count -> count > 0);
  }

  /** Time for whoever does not stand still to end. */
  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
