// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.ScriptTimes;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** D: many leases held at once, after many that came and went. */
public final class Held implements Workload {
  /** Also in a quick run: what fewer cost says nothing of it. */
  private static final int LEASES = 100_000;

  private static final Duration LEASE_TIME = Duration.ofSeconds(30);

  @Override
  public String id() {
    return "D-held";
  }

  @Override
  public String title() {
    return "100,000 leases of 30 s held for 90 s (quick: 30 s), the last 60 s (20 s) of it measured, after"
        + " 10,000 that came and went";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    List<Contender> contenders =
        List.of(
            HoldfastContender.leasing(LEASE_TIME), new RedissonContender(Kind.LOCK, LEASE_TIME));
    Duration time = Holding.time(plan, LEASE_TIME);
    Map<String, Metrics> results = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      plan.progress().accept(id() + ": " + contender.name());
      results.put(contender.name(), new Holding(contender, time, LEASES).turn());
    }
    return new Outcome(results, verdicts(results));
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics redisson = results.get("Redisson RLock");
    if (ours == null || redisson == null) {
      return List.of();
    }
    return List.of(
        Verdict.atMost("requests per second", ours.get(Holding.PER_SECOND), 50),
        Verdict.atMost(
            "CPU ÷ Redisson RLock", ours.get(Holding.CPU) / redisson.get(Holding.CPU), 0.5),
        Verdict.atMost("heap of each lease", ours.get(Holding.HEAP), 250),
        Verdict.atMost("lost", ours.get(Holding.LOST), 0),
        Verdict.atMost(ScriptTimes.TOO_LONG, ours.get(ScriptTimes.TOO_LONG), 0));
  }
}
