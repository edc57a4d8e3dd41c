// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Heap;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Together;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/** D: many leases held at once, after many that came and went. */
public final class Held implements Workload {
  /** Also in a quick run: what fewer cost says nothing of it. */
  private static final int LEASES = 100_000;

  private static final int EARLIER = 10_000;
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);
  private static final String PER_SECOND = "requests per second";
  private static final String CPU = "client % of a core";
  private static final String HEAP = "heap B each";
  private static final String LOST = "lost";

  @Override
  public String id() {
    return "D-held";
  }

  @Override
  public String title() {
    return "100,000 leases of 30 s held for 60 s, after 10,000 that came and went";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    List<Contender> contenders =
        List.of(
            HoldfastContender.leasing(LEASE_TIME), new RedissonContender(Kind.LOCK, LEASE_TIME));
    Map<String, Metrics> results = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      plan.progress().accept(id() + ": " + contender.name());
      results.put(contender.name(), turn(contender));
    }
    return new Outcome(results, verdicts(results));
  }

  private static Metrics turn(Contender contender) throws Exception {
    List<String> names = IntStream.range(0, LEASES).mapToObj(i -> "held:" + i).toList();
    AtomicReferenceArray<Client.Taken> taken = new AtomicReferenceArray<>(LEASES);
    try (RedisServer server = RedisServer.start();
        Client client = contender.connect(server.hostAndPort())) {
      Together.run(EARLIER, i -> take(client, "cycle:" + i).giveBack());
      long heapBefore = Heap.used();
      Together.run(LEASES, i -> taken.set(i, take(client, names.get(i))));
      long heap = (Heap.used() - heapBefore) / LEASES;
      Counters before = Counters.of(server);
      long startNanos = System.nanoTime();
      long cpuNanos = Counters.clientCpuNanos();
      Thread.sleep(LEASE_TIME.multipliedBy(2).toMillis());
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      double cpuSeconds = (Counters.clientCpuNanos() - cpuNanos) / 1e9;
      double requests = Counters.of(server).requestsSince(before, contender.requests());
      return new Metrics()
          .with(PER_SECOND, requests / seconds)
          .with(CPU, 100 * cpuSeconds / seconds)
          .with(HEAP, heap)
          .with(LOST, LEASES - present(server, contender, names));
    }
  }

  private static Client.Taken take(Client client, String name) throws Exception {
    Client.Taken taken = client.take(name, Duration.ZERO);
    if (taken == null) {
      throw new IllegalStateException("refused, though nobody else has that key");
    }
    return taken;
  }

  private static long present(RedisServer server, Contender contender, List<String> names) {
    long present = 0;
    try (RedisWire wire = server.connect()) {
      for (int from = 0; from < names.size(); from += 500) {
        List<String> command = new ArrayList<>(List.of("EXISTS"));
        names
            .subList(from, Math.min(names.size(), from + 500))
            .forEach(name -> command.add(contender.key(name)));
        present += Long.parseLong(wire.call(command.toArray(String[]::new)).toString());
      }
    }
    return present;
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics redisson = results.get("Redisson RLock");
    if (ours == null || redisson == null) {
      return List.of();
    }
    return List.of(
        Verdict.atMost("requests per second", ours.get(PER_SECOND), 50),
        Verdict.atMost("CPU ÷ Redisson RLock", ours.get(CPU) / redisson.get(CPU), 0.5),
        Verdict.atMost("heap of each lease", ours.get(HEAP), 250),
        Verdict.atMost("lost", ours.get(LOST), 0));
  }
}
