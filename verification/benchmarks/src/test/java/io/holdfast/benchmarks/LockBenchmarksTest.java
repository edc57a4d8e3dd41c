// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.contenders.AloneContender;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Report;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.benchmarks.workloads.HotKey;
import io.holdfast.benchmarks.workloads.Processes;
import io.holdfast.benchmarks.workloads.Uncontended;
import io.holdfast.benchmarks.workloads.UncontendedAsync;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The harness, by what it counts: that does not depend on how fast the machine is. */
class LockBenchmarksTest {
  private static final Plan TINY =
      new Plan(0, 1, Duration.ofMillis(100), Duration.ofMillis(300), true, step -> {});

  /** Grants everything to everybody. */
  private record Generous() implements Contender {
    @Override
    public String name() {
      return "generous";
    }

    @Override
    public Client connect(String hostAndPort) {
      return new Client() {
        @Override
        public Taken take(String name, Duration wait) {
          LockSupport.parkNanos(1000);
          return () -> {};
        }

        @Override
        public void close() {}
      };
    }
  }

  @Test
  void a_contender_that_does_not_exclude_is_found_out() throws Exception {
    // Sections are so short that in one turn no two of them need overlap.
    long violations = 0;
    for (int turn = 0; violations == 0 && turn < 100; turn++) {
      violations = new HotKey(8, List.of(new Generous())).run(TINY).violations();
    }
    assertThat(violations).isPositive();
  }

  @Test
  void a_lock_and_its_release_are_two_requests_of_holdfast_and_of_the_recipe() throws Exception {
    Outcome outcome =
        new Uncontended(1, List.of(HoldfastContender.redis(), new LettuceContender())).run(TINY);
    for (Metrics each : outcome.contenders().values()) {
      assertThat(each.get(Metrics.REQUESTS)).isBetween(1.99, 2.2);
      assertThat(each.get(Metrics.RATE)).isPositive();
      assertThat(each.get(Metrics.BYTES)).isPositive();
    }
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void threads_that_come_at_the_same_time_share_requests_of_holdfast() throws Exception {
    Outcome outcome = new Uncontended(16, List.of(HoldfastContender.redis())).run(TINY);
    Metrics ours = Objects.requireNonNull(outcome.contenders().get("Holdfast"));
    assertThat(ours.get(Metrics.REQUESTS)).isBetween(0.1, 1.9);
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void a_hot_key_is_passed_around_with_few_requests_and_one_holder_at_a_time() throws Exception {
    Outcome outcome = new HotKey(8, List.of(HoldfastContender.redis())).run(TINY);
    Metrics ours = Objects.requireNonNull(outcome.contenders().get("Holdfast"));
    assertThat(ours.get(Metrics.REQUESTS)).isLessThan(1);
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void the_section_of_processes_takes_its_time_and_turns_have_the_same_process() throws Exception {
    Plan twoTurns = new Plan(1, 1, Duration.ofMillis(50), Duration.ofMillis(200), true, step -> {});
    Outcome outcome = new Processes(List.of(new AloneContender())).run(twoTurns);
    Metrics alone = Objects.requireNonNull(outcome.contenders().get("one thread, no lock"));
    assertThat(alone.get(Metrics.RATE)).isPositive().isLessThanOrEqualTo(1000);
    assertThat(outcome.violations()).isZero();
  }

  @Test
  void results_are_written_as_tables_values_and_pictures(@TempDir Path directory) throws Exception {
    Workload workload =
        new UncontendedAsync(8, List.of(HoldfastContender.redis(), new LettuceContender()));
    Report report = new Report(directory);
    report.write(Map.of(workload, workload.run(TINY)));
    assertThat(directory.resolve("results.json")).content().contains("\"A-async\"", "figures");
    assertThat(directory.resolve("A-async-latency.svg")).content().startsWith("<svg");
    Path page = directory.resolve("page.md");
    Files.writeString(page, "before\n<!-- measured -->\nold\n<!-- end of measured -->\nafter\n");
    report.writeInto(page);
    assertThat(page)
        .content()
        .contains("before", "rate ÷ Lettuce by hand", "after")
        .doesNotContain("old\n");
  }
}
