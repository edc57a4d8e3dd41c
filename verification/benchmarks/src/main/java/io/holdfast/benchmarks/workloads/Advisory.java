// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JdbcContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.PostgresServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** J: PostgreSQL's advisory locks. */
public final class Advisory implements Workload {
  private static final int THREADS = 8;

  @Override
  public String id() {
    return "J-advisory";
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, 8 threads, advisory locks of PostgreSQL";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    Map<String, Client> clients = new LinkedHashMap<>();
    try (PostgresServer server = PostgresServer.start()) {
      Map<String, Contender> contenders =
          Contenders.byName(
              List.of(
                  HoldfastContender.advisory(), JdbcContender.bare(), JdbcContender.recording()));
      for (Map.Entry<String, Contender> each : contenders.entrySet()) {
        clients.put(each.getKey(), each.getValue().connect(server.hostAndPort()));
      }
      Map<String, Metrics> results =
          Interleaved.run(id(), plan, clients, client -> OwnKeys.turn(client, plan, THREADS));
      clients.values().forEach(Client::close);
      double ours = results.getOrDefault("Holdfast", new Metrics()).get(Metrics.RATE);
      return new Outcome(
          results,
          List.of(
              Verdict.atLeast(
                  "rate ÷ JDBC by hand", ours / rate(results, JdbcContender.bare()), 0.8),
              Verdict.atLeast(
                  "rate ÷ JDBC by hand, with a token and a row",
                  ours / rate(results, JdbcContender.recording()),
                  0.8)));
    }
  }

  private static double rate(Map<String, Metrics> results, Contender contender) {
    return results.getOrDefault(contender.name(), new Metrics()).get(Metrics.RATE);
  }
}
