// SPDX-License-Identifier: Apache-2.0
package io.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.holdfast.simulation.Simulation.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The runtime under delays, losses, pauses and clock jumps. {@code -Dholdfast.seeds=N} runs more
 * seeds, {@code -Dholdfast.seed=N} replays one and prints what happened.
 */
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("holdfast.seeds", 3_000);
  private static final int SEEDS_FOR_A_MUTANT = 300;

  @Test
  void every_seed_keeps_the_guarantees() {
    Long only = Long.getLong("holdfast.seed");
    long first = only == null ? 1 : only;
    long last = only == null ? SEEDS : only;
    for (long seed = first; seed <= last; seed++) {
      Outcome outcome = Simulation.run(seed, Mutant.NONE);
      if (outcome.failure() != null) {
        fail(report(seed, outcome));
      } else if (only != null) {
        outcome.trace().forEach(System.out::println);
      }
    }
  }

  private static String report(long seed, Outcome outcome) {
    return "seed "
        + seed
        + ": "
        + outcome.failure()
        + "\nto replay: mvn -pl testkit -am test -Dtest=SimulationTest"
        + " -Dsurefire.failIfNoSpecifiedTests=false -Dholdfast.seed="
        + seed
        + "\n"
        + String.join("\n", outcome.trace());
  }

  @Test
  void a_seed_replays_exactly() {
    for (long seed = 1; seed <= 50; seed++) {
      assertThat(Simulation.run(seed, Mutant.NONE).hash())
          .isEqualTo(Simulation.run(seed, Mutant.NONE).hash());
    }
  }

  @ParameterizedTest
  @EnumSource(value = Mutant.class, mode = Mode.EXCLUDE, names = "NONE")
  void it_catches(Mutant mutant) {
    long seed = 1;
    while (Simulation.run(seed, mutant).failure() == null) {
      assertThat(++seed).as("seeds without a failure").isLessThan(SEEDS_FOR_A_MUTANT);
    }
  }
}
