// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Curve;
import io.holdfast.benchmarks.harness.Growth;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.List;
import java.util.Map;

/** What a hand-over costs while so many wait for the lock, all in one client. */
public final class ScalingWaiters implements Workload {
  private final List<Integer> full;
  private final List<Integer> quick;

  ScalingWaiters(List<Integer> full, List<Integer> quick) {
    this.full = full;
    this.quick = quick;
  }

  /** From one to ten thousand. */
  public static ScalingWaiters all() {
    return new ScalingWaiters(List.of(1, 10, 100, 1000, 10_000), List.of(1, 10, 100, 1000));
  }

  @Override
  public String id() {
    return "scaling-waiters";
  }

  @Override
  public String title() {
    return "one hand-over after the other, while so many threads of one client wait";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    Map<String, Contender> contenders =
        Contenders.byName(List.of(HoldfastContender.redis(), HoldfastContender.withoutPasses()));
    List<Curve> curves = contenders.keySet().stream().map(Curve::new).toList();
    try (Contest contest = Contest.open(RedisServer.start(), contenders)) {
      Plan warm = plan;
      for (int waiters : plan.quick() ? quick : full) {
        Map<String, Metrics> point =
            contest.run(
                id() + ", " + waiters,
                warm,
                (player, each) -> OneKey.turn(player, each, waiters + 1));
        for (Curve curve : curves) {
          curve.points().put(waiters, point.get(curve.name()));
        }
        warm = plan.cold();
      }
    }
    List<String> costs = List.of(Metrics.CLIENT_CPU, Metrics.SERVER_CPU, Metrics.REQUESTS);
    return new Outcome(new Growth("waiters", costs, curves), List.of());
  }
}
