// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Pipeline;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Sections;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A: lock and unlock, own keys, by the asynchronous API: no thread waits. */
public final class UncontendedAsync implements Workload {
  private static final int KEYS = 16;

  private final int inFlight;
  private final List<Contender> contenders;

  public UncontendedAsync(int inFlight, List<Contender> contenders) {
    this.inFlight = inFlight;
    this.contenders = contenders;
  }

  /** Everybody who has such an API. */
  public static UncontendedAsync of(int inFlight) {
    return new UncontendedAsync(
        inFlight,
        List.of(
            HoldfastContender.redis(), new LettuceContender(), new RedissonContender(Kind.LOCK)));
  }

  @Override
  public String id() {
    return "A-async";
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, asynchronous, " + inFlight + " in flight";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    try (Contest contest = Contest.open(RedisServer.start(), Contenders.byName(contenders))) {
      Map<String, Metrics> results = contest.run(id(), plan, this::turn);
      Metrics ours = results.get("Holdfast");
      Metrics lettuce = results.get("Lettuce by hand");
      return new Outcome(
          results,
          ours == null || lettuce == null
              ? List.of()
              : List.of(
                  Verdict.atLeast(
                      "rate ÷ Lettuce by hand",
                      ours.get(Metrics.RATE) / lettuce.get(Metrics.RATE),
                      0.95)));
    }
  }

  private Metrics turn(Contest.Player player, Plan plan) throws Exception {
    Sections sections = Sections.of(inFlight * KEYS);
    List<Counters> counters = new ArrayList<>();
    Client client = player.client();
    Pipeline.Result result =
        Pipeline.run(
            inFlight,
            plan.warmUp(),
            plan.time(),
            (lane, turn) -> {
              int key = lane * KEYS + (int) (turn % KEYS);
              return client.pair(
                  "own:" + key,
                  () -> {
                    sections.enter(key);
                    sections.leave(key);
                  });
            },
            () -> counters.add(Counters.of(player.server())));
    Metrics metrics =
        new Metrics()
            .with(Metrics.RATE, result.operations() / result.seconds())
            .withLatency(result.nanos());
    return counters
        .get(1)
        .costs(metrics, counters.get(0), player.contender(), result.operations())
        .with(Metrics.VIOLATIONS, sections.violations());
  }
}
