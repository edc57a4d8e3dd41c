// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Crew;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Sections;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Threads that all want one key, and do nothing with it: one holds it, the others wait. */
final class OneKey {
  private static final Duration WAIT = Duration.ofSeconds(60);

  private OneKey() {}

  static Metrics turn(Contest.Player player, Plan plan, int threads) throws Exception {
    return turn(player.contender(), thread -> player.client(), player.server(), plan, threads);
  }

  /** Each thread with the client that it is given. */
  static Metrics turn(
      Contender contender, IntFunction<Client> clients, RedisServer server, Plan plan, int threads)
      throws Exception {
    Sections section = Sections.of(1);
    List<Counters> counters = new ArrayList<>();
    Crew.Result result =
        Crew.run(
            threads,
            plan.warmUp(),
            plan.time(),
            thread -> {
              Client.Taken taken = clients.apply(thread).take("hot", WAIT);
              if (taken == null) {
                throw new IllegalStateException("not served within " + WAIT);
              }
              section.enter(0);
              section.leave(0);
              taken.giveBack();
            },
            () -> counters.add(Counters.of(server)));
    Metrics metrics =
        new Metrics()
            .with(Metrics.RATE, result.total() / result.seconds())
            .withLatency(result.nanos())
            .with(Metrics.FAIRNESS, result.fairness());
    return counters
        .get(1)
        .costs(metrics, counters.get(0), contender, result.total())
        .with(Metrics.VIOLATIONS, section.violations());
  }
}
