// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.harness.Curve;
import io.holdfast.benchmarks.harness.Growth;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Workload;
import java.time.Duration;
import java.util.List;

/** What a held lease costs its client and the server, when the client holds more of them. */
public final class ScalingHeld implements Workload {
  private final Duration leaseTime;
  private final List<Integer> full;
  private final List<Integer> quick;

  ScalingHeld(Duration leaseTime, List<Integer> full, List<Integer> quick) {
    this.leaseTime = leaseTime;
    this.full = full;
    this.quick = quick;
  }

  /** Up to a hundred thousand. */
  public static ScalingHeld all() {
    return new ScalingHeld(
        Duration.ofSeconds(15), List.of(1000, 10_000, 100_000), List.of(1000, 10_000));
  }

  @Override
  public String id() {
    return "scaling-held";
  }

  @Override
  public String title() {
    return "so many leases of 15 s held by one client for 45 s (quick: 15 s), the last 30 s (10 s) measured";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    Duration time = Holding.time(plan, leaseTime);
    Curve curve = new Curve("Holdfast");
    for (int leases : plan.quick() ? quick : full) {
      plan.progress().accept(id() + ": " + leases);
      Metrics metrics = new Holding(HoldfastContender.leasing(leaseTime), time, leases).turn();
      curve.points().put(leases, metrics);
    }
    List<String> costs = List.of(Holding.CLIENT_EACH, Holding.SERVER_EACH, Holding.HEAP);
    return new Outcome(new Growth("leases", costs, List.of(curve)), List.of());
  }
}
