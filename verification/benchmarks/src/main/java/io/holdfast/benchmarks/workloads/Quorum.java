// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.quorum.QuorumMembers;
import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** H: a quorum of five nodes, of which two stand still. */
public final class Quorum implements Workload {
  private static final int NODES = 5;
  private static final int THREADS = 4;
  private static final String ALL = "Holdfast, all five up";
  private static final String THREE = "Holdfast, two stopped";

  @Override
  public String id() {
    return "H-quorum";
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, 4 threads, quorum of 5: all up, and two stopped";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    List<RedisServer> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(RedisServer.start());
    }
    String places = nodes.stream().map(RedisServer::hostAndPort).collect(Collectors.joining(","));
    QuorumMembers.found(HoldfastContender.quorumAt(places));
    try (Client client = HoldfastContender.quorum().connect(places)) {
      Map<String, List<Metrics>> rounds = new LinkedHashMap<>();
      for (int round = 0; round <= plan.rounds(); round++) {
        plan.progress().accept(id() + ", round " + round);
        measure(client, plan, ALL, rounds, round);
        nodes.subList(3, NODES).forEach(RedisServer::pause);
        Thread.sleep(plan.warmUp().toMillis());
        measure(client, plan, THREE, rounds, round);
        nodes.subList(3, NODES).forEach(RedisServer::resume);
        Thread.sleep(plan.warmUp().toMillis());
      }
      return outcome(rounds);
    } finally {
      nodes.forEach(RedisServer::close);
    }
  }

  /** The round before the first does not count. */
  private static void measure(
      Client client, Plan plan, String name, Map<String, List<Metrics>> rounds, int round)
      throws Exception {
    Metrics metrics = OwnKeys.turn(client, plan, THREADS);
    if (round > 0) {
      rounds.computeIfAbsent(name, unused -> new ArrayList<>()).add(metrics);
    }
  }

  private static Outcome outcome(Map<String, List<Metrics>> rounds) {
    Map<String, Metrics> results = new LinkedHashMap<>();
    rounds.forEach((name, each) -> results.put(name, Metrics.medians(each)));
    double ratio =
        results.getOrDefault(THREE, new Metrics()).get(Metrics.P99)
            / results.getOrDefault(ALL, new Metrics()).get(Metrics.P99);
    return new Outcome(results, List.of(Verdict.atMost("p99 with two stopped ÷ all up", ratio, 2)));
  }
}
