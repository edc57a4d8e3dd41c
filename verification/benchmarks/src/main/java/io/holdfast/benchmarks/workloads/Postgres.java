// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JdbcContender;
import io.holdfast.benchmarks.harness.BusyLoops;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.PgBouncer;
import io.holdfast.testkit.servers.PostgresServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * J: both modes of PostgreSQL beside its advisory locks by hand.
 *
 * @param busyLoops how many processes that do nothing but take processor time run beside it
 * @param advisory the least rate of advisory mode to reach, beside JDBC with a token and a row
 */
public record Postgres(String id, String title, int busyLoops, double advisory)
    implements Workload {
  private static final int THREADS = 8;
  private static final String ADVISORY = "Holdfast, advisory";
  private static final String LEASE = "Holdfast, lease";
  private static final String POOLED = "Holdfast, lease behind PgBouncer";

  /** On a machine that has nothing else to do. */
  public static Postgres quiet() {
    return new Postgres("J-postgresql", "lock and unlock, own keys, 8 threads, PostgreSQL", 0, 0.8);
  }

  /** With twice as many busy loops as a small machine has processors. */
  public static Postgres busy() {
    return new Postgres("J-postgresql-busy", "the same, with four busy loops beside it", 4, 0.6);
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    BusyLoops beside = BusyLoops.start(busyLoops);
    try (PostgresServer server = PostgresServer.start();
        PgBouncer pooler = PgBouncer.start(server, "transaction")) {
      Map<String, Client> clients = new LinkedHashMap<>();
      clients.put(ADVISORY, HoldfastContender.advisory().connect(server.hostAndPort()));
      clients.put(LEASE, HoldfastContender.lease().connect(server.hostAndPort()));
      clients.put(POOLED, HoldfastContender.lease().connect(pooler.hostAndPort()));
      for (JdbcContender recipe : List.of(JdbcContender.bare(), JdbcContender.recording())) {
        clients.put(recipe.name(), recipe.connect(server.hostAndPort()));
      }
      Map<String, Metrics> results =
          Interleaved.run(id(), plan, clients, client -> OwnKeys.turn(client, plan, THREADS));
      clients.values().forEach(Client::close);
      return new Outcome(
          results,
          List.of(
              rate(results, ADVISORY, advisory),
              rate(results, LEASE, 0.6),
              rate(results, POOLED, 0.6),
              slowest(results, ADVISORY),
              slowest(results, LEASE)));
    } finally {
      beside.close();
    }
  }

  private static Verdict rate(Map<String, Metrics> results, String ours, double wanted) {
    return Verdict.atLeast(
        ours + ": rate ÷ JDBC with a token and a row", ratio(results, ours, Metrics.RATE), wanted);
  }

  private static Verdict slowest(Map<String, Metrics> results, String ours) {
    return Verdict.atMost(
        ours + ": p99 ÷ JDBC with a token and a row", ratio(results, ours, Metrics.P99), 2);
  }

  private static double ratio(Map<String, Metrics> results, String ours, String metric) {
    String theirs = JdbcContender.recording().name();
    return results.getOrDefault(ours, new Metrics()).get(metric)
        / results.getOrDefault(theirs, new Metrics()).get(metric);
  }
}
