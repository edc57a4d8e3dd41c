// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JedisContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.contenders.SpringContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Crew;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Sections;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** B: all threads of one process want one key, and do nothing with it. */
public final class HotKey implements Workload {
  private static final Duration WAIT = Duration.ofSeconds(60);

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
      Map<String, Metrics> results = contest.run(id(), plan, this::turn);
      return new Outcome(results, verdicts(results));
    }
  }

  private Metrics turn(Contest.Player player, Plan plan) throws Exception {
    Sections section = Sections.of(1);
    List<Counters> counters = new ArrayList<>();
    Client client = player.client();
    Crew.Result result =
        Crew.run(
            threads,
            plan.warmUp(),
            plan.time(),
            thread -> {
              Client.Taken taken = client.take("hot", WAIT);
              if (taken == null) {
                throw new IllegalStateException("not served within " + WAIT);
              }
              section.enter(0);
              section.leave(0);
              taken.giveBack();
            },
            () -> counters.add(Counters.of(player.server())));
    Metrics metrics =
        new Metrics()
            .with(Metrics.RATE, result.total() / result.seconds())
            .withLatency(result.nanos())
            .with(Metrics.FAIRNESS, result.fairness());
    return counters
        .get(1)
        .costs(metrics, counters.get(0), player.contender(), result.total())
        .with(Metrics.VIOLATIONS, section.violations());
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
