// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Together;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether an operation costs more when there are more locks: it must not. */
public final class Scaling implements Workload {
  private static final int THREADS = 16;

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
    Map<String, Metrics> results = new LinkedHashMap<>();
    Contender contender = HoldfastContender.redis();
    try (RedisServer server = RedisServer.start();
        Client client = contender.connect(server.hostAndPort())) {
      Contest.Player player = new Contest.Player(contender, client, server);
      server.call("CONFIG", "SET", "slowlog-log-slower-than", "1000");
      Metrics unused = OwnKeys.turn(player, plan, THREADS);
      int held = 0;
      for (int wanted = 1000; wanted <= plan.size(1_000_000, 10_000); wanted *= 10) {
        plan.progress().accept(id() + ": " + wanted);
        long memory = memory(server);
        int from = held;
        Together.run(wanted - held, i -> client.take("other:" + (from + i), Duration.ZERO));
        double each = (double) (memory(server) - memory) / (wanted - held);
        held = wanted;
        Metrics metrics =
            OwnKeys.turn(player, plan, THREADS)
                .with("server B each lock", each)
                .with("scripts over 1 ms", slow(server));
        results.put(String.format(Locale.ROOT, "%,d", wanted), metrics);
      }
    }
    return new Outcome(results, List.of());
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

  /** Only the longest 128 are kept: enough to see whether there are any. */
  private static long slow(RedisServer server) {
    Object entries = server.call("SLOWLOG", "GET", "-1");
    return entries instanceof List<?> list
        ? list.stream()
            .filter(entry -> entry.toString().toLowerCase(Locale.ROOT).contains("evalsha"))
            .count()
        : 0;
  }
}
