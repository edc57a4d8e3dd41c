// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Curve;
import io.holdfast.benchmarks.harness.Growth;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an operation costs when more clients are connected, with one thread each. */
public final class ScalingClients implements Workload {
  private static final String EACH = "one lock each";
  private static final String ALL = "all on one lock";

  private final List<Integer> full;
  private final List<Integer> quick;
  private final Contender contender = HoldfastContender.redis();

  ScalingClients(List<Integer> full, List<Integer> quick) {
    this.full = full;
    this.quick = quick;
  }

  /** From one to a hundred. */
  public static ScalingClients all() {
    return new ScalingClients(List.of(1, 2, 5, 10, 20, 50, 100), List.of(1, 10, 50));
  }

  @Override
  public String id() {
    return "scaling-clients";
  }

  @Override
  public String title() {
    return "lock and unlock by so many clients at once, each with one thread";
  }

  /** A turn of all clients. */
  private interface Turn {
    Metrics measure(List<Client> clients) throws Exception;
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    List<Curve> curves = List.of(new Curve(EACH), new Curve(ALL));
    try (RedisServer server = RedisServer.start()) {
      Plan warm = plan;
      for (int count : plan.quick() ? quick : full) {
        Map<String, Metrics> point = point(server, warm, count);
        for (Curve curve : curves) {
          curve.points().put(count, point.get(curve.name()));
        }
        warm = plan.cold();
      }
    }
    List<String> costs = List.of(Metrics.CLIENT_CPU, Metrics.SERVER_CPU, Metrics.REQUESTS);
    return new Outcome(new Growth("clients", costs, curves), List.of());
  }

  private Map<String, Metrics> point(RedisServer server, Plan plan, int count) throws Exception {
    List<Client> clients = new ArrayList<>();
    Map<String, Turn> turns = new LinkedHashMap<>();
    turns.put(EACH, all -> OwnKeys.turn(contender, all::get, server, plan, count));
    turns.put(ALL, all -> OneKey.turn(contender, all::get, server, plan, count));
    try {
      for (int i = 0; i < count; i++) {
        clients.add(contender.connect(server.hostAndPort()));
      }
      return Interleaved.run(id() + ", " + count, plan, turns, turn -> turn.measure(clients));
    } finally {
      clients.forEach(Client::close);
    }
  }
}
