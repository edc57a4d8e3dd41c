// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JedisContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.contenders.ShedLockContender;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;

/** What a client is before it does anything: the time to connect, its threads and connections. */
public final class Footprint implements Workload {

  @Override
  public String id() {
    return "footprint";
  }

  @Override
  public String title() {
    return "a new client: ms until its first lock was released, threads, connections";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    List<Contender> contenders =
        List.of(
            HoldfastContender.redis(),
            new LettuceContender(),
            new JedisContender(),
            new ShedLockContender(),
            new RedissonContender(Kind.LOCK));
    try (RedisServer server = RedisServer.start()) {
      return new Outcome(
          Interleaved.run(id(), plan, Contenders.byName(contenders), each -> turn(each, server)),
          List.of());
    }
  }

  private static Metrics turn(Contender contender, RedisServer server) throws Exception {
    // The one that asks. Those of the contender before may still be closing.
    Eventually.until("all others have left", () -> connections(server) == 1);
    int threads = threads();
    long startNanos = System.nanoTime();
    try (Client client = contender.connect(server.hostAndPort())) {
      Client.Taken taken = client.take("first", Duration.ZERO);
      if (taken != null) {
        taken.giveBack();
      }
      return new Metrics()
          .with("ms", (System.nanoTime() - startNanos) / 1e6)
          .with("threads", threads() - threads)
          .with("connections", connections(server) - 1);
    }
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private static long connections(RedisServer server) {
    return server.call("CLIENT", "LIST").toString().lines().count();
  }
}
