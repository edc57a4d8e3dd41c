// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.WaitEachContender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.util.List;
import java.util.Map;

/** G: a grant counts when a replica has acknowledged it. */
public final class Acknowledged implements Workload {
  private static final int THREADS = 64;

  @Override
  public String id() {
    return "G-replicas";
  }

  @Override
  public String title() {
    return "lock and unlock, own keys, 64 threads, each grant acknowledged by a replica";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    RedisServer primary = RedisServer.start();
    String port = Integer.toString(primary.port());
    try (RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", port);
        Contest contest =
            Contest.open(
                awaitReplica(primary, replica),
                Contenders.byName(
                    List.of(HoldfastContender.acknowledged(), new WaitEachContender())))) {
      Map<String, Metrics> results =
          contest.run(id(), plan, (player, each) -> OwnKeys.turn(player, each, THREADS));
      double ours = rate(results, "Holdfast, replicas=1");
      double each = rate(results, "Lettuce by hand, WAIT each");
      return new Outcome(results, List.of(Verdict.atLeast("rate ÷ one WAIT each", ours / each, 5)));
    }
  }

  private static double rate(Map<String, Metrics> results, String name) {
    return results.getOrDefault(name, new Metrics()).get(Metrics.RATE);
  }

  private static RedisServer awaitReplica(RedisServer primary, RedisServer replica)
      throws InterruptedException {
    String online = "port=" + replica.port() + ",state=online";
    while (!primary.call("INFO", "replication").toString().contains(online)) {
      Thread.sleep(20);
    }
    return primary;
  }
}
