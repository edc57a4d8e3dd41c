// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Curve;
import io.holdfast.benchmarks.harness.Growth;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.ScriptTimes;
import io.holdfast.benchmarks.harness.Together;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether an operation costs more when more locks are held: it must not. Another client holds them,
 * for hours, so that nothing is renewed meanwhile; the recipe by hand beside it shows what of a
 * difference is the server's or the machine's.
 */
public final class ScalingLocks implements Workload {
  private static final int THREADS = 16;
  private static final Duration HOURS = Duration.ofHours(3);

  private final List<Integer> full;
  private final List<Integer> quick;

  ScalingLocks(List<Integer> full, List<Integer> quick) {
    this.full = full;
    this.quick = quick;
  }

  /** Up to a million. */
  public static ScalingLocks all() {
    return new ScalingLocks(
        List.of(1000, 10_000, 100_000, 1_000_000), List.of(1000, 10_000, 100_000));
  }

  @Override
  public String id() {
    return "scaling-locks";
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, 16 threads, while so many other locks are held";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    Contender ours = HoldfastContender.redis();
    Contender recipe = new LettuceContender();
    Curve curve = new Curve(ours.name());
    Curve control = new Curve(recipe.name());
    try (RedisServer server = RedisServer.start();
        Client client = ours.connect(server.hostAndPort());
        Client byHand = recipe.connect(server.hostAndPort());
        Client holder = HoldfastContender.leasing(HOURS).connect(server.hostAndPort())) {
      Contest.Player player = new Contest.Player(ours, client, server);
      Contest.Player peer = new Contest.Player(recipe, byHand, server);
      for (int i = 0; i < plan.warmUps(); i++) {
        Metrics unused = OwnKeys.turn(player, plan, THREADS);
        unused = OwnKeys.turn(peer, plan, THREADS);
      }
      int held = 0;
      for (int wanted : plan.quick() ? quick : full) {
        plan.progress().accept(id() + ": " + wanted);
        double each = hold(server, holder, held, wanted);
        held = wanted;
        ScriptTimes times = ScriptTimes.watch(server);
        List<Metrics> rounds = new ArrayList<>();
        List<Metrics> peers = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
          rounds.add(OwnKeys.turn(player, plan, THREADS));
          peers.add(OwnKeys.turn(peer, plan, THREADS));
        }
        Metrics all = Metrics.medians(rounds).with("server B each lock", each);
        curve.points().put(wanted, times.report(all));
        control.points().put(wanted, Metrics.medians(peers));
      }
    }
    List<String> costs = List.of(Metrics.CLIENT_CPU, Metrics.SERVER_CPU);
    return new Outcome(new Growth("locks", costs, List.of(curve, control)), List.of());
  }

  /** How many bytes of the server each more of them takes. */
  private static double hold(RedisServer server, Client holder, int from, int to) throws Exception {
    long before = memory(server);
    Together.run(to - from, i -> holder.take("other:" + (from + i), Duration.ZERO));
    return (double) (memory(server) - before) / (to - from);
  }

  private static long memory(RedisServer server) {
    return server
        .call("INFO", "memory")
        .toString()
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length()).strip()))
        .findFirst()
        .orElse(0);
  }
}
