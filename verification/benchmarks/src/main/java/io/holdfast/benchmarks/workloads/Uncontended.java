// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JedisContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.contenders.ShedLockContender;
import io.holdfast.benchmarks.contenders.SpringContender;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** A: lock and unlock, each thread its own keys. */
public final class Uncontended implements Workload {
  private final int threads;
  private final List<Contender> contenders;

  public Uncontended(int threads, List<Contender> contenders) {
    this.threads = threads;
    this.contenders = contenders;
  }

  /** Everybody. */
  public static Uncontended of(int threads) {
    List<Contender> contenders = new ArrayList<>();
    contenders.add(HoldfastContender.redis());
    contenders.add(HoldfastContender.queueing());
    contenders.add(new LettuceContender());
    contenders.add(new JedisContender());
    contenders.add(new ShedLockContender());
    contenders.add(new SpringContender(RedisLockType.SPIN_LOCK));
    contenders.add(new SpringContender(RedisLockType.PUB_SUB_LOCK));
    contenders.add(new RedissonContender(Kind.LOCK));
    contenders.add(new RedissonContender(Kind.FENCED));
    contenders.add(new RedissonContender(Kind.FAIR));
    contenders.add(new RedissonContender(Kind.SPIN));
    return new Uncontended(threads, contenders);
  }

  @Override
  public String id() {
    return "A-" + threads + (threads == 1 ? "-thread" : "-threads");
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, " + threads + " threads";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    try (Contest contest = Contest.open(RedisServer.start(), Contenders.byName(contenders))) {
      Map<String, Metrics> results =
          contest.run(id(), plan, (player, each) -> OwnKeys.turn(player, each, threads));
      return new Outcome(results, verdicts(results));
    }
  }

  private List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics lettuce = results.get("Lettuce by hand");
    Metrics fenced = results.get("Redisson RFencedLock");
    if (ours == null || lettuce == null || fenced == null) {
      return List.of();
    }
    double rate = ours.get(Metrics.RATE);
    if (threads == 1) {
      return List.of(
          Verdict.atLeast("rate ÷ Lettuce by hand", rate / lettuce.get(Metrics.RATE), 1.0));
    }
    return List.of(
        Verdict.atLeast("rate ÷ Redisson RFencedLock", rate / fenced.get(Metrics.RATE), 4.5),
        Verdict.atLeast("rate ÷ Lettuce by hand", rate / lettuce.get(Metrics.RATE), 0.95),
        Verdict.atMost(
            "p99 ÷ Lettuce by hand", ours.get(Metrics.P99) / lettuce.get(Metrics.P99), 1.0));
  }
}
