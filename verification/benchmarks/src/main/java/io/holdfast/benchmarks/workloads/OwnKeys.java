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

/** Threads that lock and unlock, each its own keys. */
final class OwnKeys {
  /** Each thread goes round these, so that keys are neither all new nor always the same. */
  private static final int KEYS = 16;

  private OwnKeys() {}

  static Metrics turn(Contest.Player player, Plan plan, int threads) throws Exception {
    return turn(player.contender(), thread -> player.client(), player.server(), plan, threads);
  }

  /** Each thread with the client that it is given. */
  static Metrics turn(
      Contender contender, IntFunction<Client> clients, RedisServer server, Plan plan, int threads)
      throws Exception {
    Sections sections = Sections.of(threads * KEYS);
    List<Counters> counters = new ArrayList<>();
    Crew.Result result =
        run(clients, plan, threads, sections, () -> counters.add(Counters.of(server)));
    return counters
        .get(1)
        .costs(metrics(result), counters.get(0), contender, result.total())
        .with(Metrics.VIOLATIONS, sections.violations());
  }

  /** The same where there is no Redis whose counters could be read. */
  static Metrics turn(Client client, Plan plan, int threads) throws Exception {
    Sections sections = Sections.of(threads * KEYS);
    Crew.Result result = run(thread -> client, plan, threads, sections, () -> {});
    return metrics(result).with(Metrics.VIOLATIONS, sections.violations());
  }

  private static Metrics metrics(Crew.Result result) {
    return new Metrics()
        .with(Metrics.RATE, result.total() / result.seconds())
        .withLatency(result.nanos());
  }

  private static Crew.Result run(
      IntFunction<Client> clients, Plan plan, int threads, Sections sections, Runnable standing)
      throws Exception {
    long[] turns = new long[threads];
    return Crew.run(
        threads,
        plan.warmUp(),
        plan.time(),
        thread -> {
          int key = thread * KEYS + (int) (turns[thread]++ % KEYS);
          Client client = clients.apply(thread);
          Client.Taken taken = client.take("own:" + key, Duration.ZERO);
          if (taken == null) { // As Spring Integration's registry sometimes says.
            taken = client.take("own:" + key, Duration.ofSeconds(5));
          }
          if (taken == null) {
            throw new IllegalStateException("refused, though nobody else has that key");
          }
          sections.enter(key);
          sections.leave(key);
          taken.giveBack();
        },
        standing);
  }
}
