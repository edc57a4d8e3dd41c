// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimAndCompleteTest {
  private static final Plan ONE_TURN =
      new Plan(0, 1, Duration.ZERO, Duration.ZERO, true, step -> {});

  @Test
  void each_queue_works_off_its_jobs_and_ours_is_compared_with_the_two_that_matter()
      throws Exception {
    Outcome outcome = new ClaimAndComplete().run(ONE_TURN);
    assertThat(outcome.contenders())
        .containsOnlyKeys("Holdfast", "SQL by hand", "db-scheduler", "JobRunr");
    for (Metrics each : outcome.contenders().values()) {
      assertThat(each.get(Metrics.RATE)).isPositive();
    }
    assertThat(outcome.verdicts())
        .extracting(Verdict::what)
        .containsExactly("rate ÷ db-scheduler", "rate ÷ SQL by hand");
    for (Verdict each : outcome.verdicts()) {
      assertThat(each.value()).isPositive();
    }
  }
}
