// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The workloads that grow, with small numbers: a row for each point, and what is exact. */
class ScalingTest {
  private static final Plan TINY =
      new Plan(0, 1, Duration.ofMillis(200), Duration.ofMillis(400), true, step -> {});
  private static final List<Integer> NONE = List.of();

  private static double requests(Outcome outcome, String row) {
    return Objects.requireNonNull(outcome.contenders().get(row)).get(Metrics.REQUESTS);
  }

  @Test
  void locks_and_their_releases_are_two_requests_at_most_however_many_others_are_held()
      throws Exception {
    Outcome outcome = new ScalingLocks(NONE, List.of(10, 100)).run(TINY);
    assertThat(outcome.contenders().keySet())
        .containsExactly(
            "Holdfast, 10 locks",
            "Holdfast, 100 locks",
            "Lettuce by hand, 10 locks",
            "Lettuce by hand, 100 locks");
    for (String row : outcome.contenders().keySet()) {
      // A script that is loaded counts too.
      assertThat(requests(outcome, row)).isBetween(row.startsWith("Holdfast") ? 0.1 : 2.0, 2.2);
    }
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void hand_overs_through_the_store_are_two_requests_however_many_wait() throws Exception {
    Outcome outcome = new ScalingWaiters(NONE, List.of(8, 20)).run(TINY);
    for (String size : List.of("8", "20")) {
      assertThat(requests(outcome, "Holdfast, " + size + " waiters")).isLessThan(1);
      assertThat(requests(outcome, "Holdfast, no local passes, " + size + " waiters"))
          .isBetween(1.9, 2.5); // A waiter that hears nothing for seconds asks once more.
    }
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void operations_are_two_requests_however_many_clients_there_are() throws Exception {
    Outcome outcome = new ScalingClients(NONE, List.of(1, 4)).run(TINY);
    assertThat(requests(outcome, "one lock each, 1 clients")).isBetween(2.0, 2.2);
    assertThat(requests(outcome, "one lock each, 4 clients")).isBetween(2.0, 2.2);
    assertThat(outcome.contenders()).containsKey("all on one lock, 4 clients");
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void held_leases_are_renewed_and_none_is_lost() throws Exception {
    Duration leaseTime = Duration.ofSeconds(12);
    Outcome outcome = new ScalingHeld(leaseTime, NONE, List.of(300)).run(TINY);
    Metrics row = Objects.requireNonNull(outcome.contenders().get("Holdfast, 300 leases"));
    assertThat(row.get(Holding.LOST)).isZero();
    assertThat(row.get(Holding.PER_SECOND)).isBetween(0.1, 10.0);
  }
}
