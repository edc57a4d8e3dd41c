// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How much is measured.
 *
 * @param warmUps how many turns each contender has that do not count
 * @param rounds how often each contender has its turn
 * @param warmUp before each turn
 * @param time of each turn
 * @param quick whether workloads of a fixed size are smaller
 * @param progress told what is going on
 */
public record Plan(
    int warmUps,
    int rounds,
    Duration warmUp,
    Duration time,
    boolean quick,
    Consumer<String> progress) {

  /** The whole of it, or a quick one. */
  public static Plan of(boolean quick, Consumer<String> progress) {
    return quick
        ? new Plan(1, 1, Duration.ofMillis(250), Duration.ofSeconds(1), true, progress)
        : new Plan(2, 5, Duration.ofSeconds(1), Duration.ofSeconds(4), false, progress);
  }

  /** The same without turns that do not count, for what is compiled already. */
  public Plan cold() {
    return new Plan(0, rounds, warmUp, time, quick, progress);
  }

  /** Which of two sizes it is to be. */
  public int size(int full, int small) {
    return quick ? small : full;
  }
}
