// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JedisContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.contenders.SpringContender;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.List;
import java.util.Map;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** B: all threads of one process want one key, and do nothing with it. */
public final class HotKey implements Workload {
  private final int threads;
  private final List<Contender> contenders;

  public HotKey(int threads, List<Contender> contenders) {
    this.threads = threads;
    this.contenders = contenders;
  }

  /** Everybody who can wait. */
  public static HotKey of(int threads) {
    return new HotKey(
        threads,
        List.of(
            HoldfastContender.redis(),
            HoldfastContender.withoutPasses(),
            new LettuceContender(),
            new JedisContender(),
            new SpringContender(RedisLockType.SPIN_LOCK),
            new RedissonContender(Kind.LOCK),
            new RedissonContender(Kind.FENCED),
            new RedissonContender(Kind.FAIR)));
  }

  @Override
  public String id() {
    return "B-hot-key";
  }

  @Override
  public String title() {
    return "one key, " + threads + " threads of one process, empty section";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    try (Contest contest = Contest.open(RedisServer.start(), Contenders.byName(contenders))) {
      Map<String, Metrics> results =
          contest.run(id(), plan, (player, each) -> OneKey.turn(player, each, threads));
      return new Outcome(results, verdicts(results));
    }
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics redisson = results.get("Redisson RLock");
    if (ours == null || redisson == null) {
      return List.of();
    }
    return List.of(
        Verdict.atLeast(
            "hand-overs ÷ Redisson RLock", ours.get(Metrics.RATE) / redisson.get(Metrics.RATE), 15),
        Verdict.atMost("most ÷ least of a thread", ours.get(Metrics.FAIRNESS), 1.1),
        Verdict.atMost(
            "p99.9 ÷ Redisson RLock", ours.get(Metrics.P999) / redisson.get(Metrics.P999), 0.05));
  }
}
