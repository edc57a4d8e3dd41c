// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Heap;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.ScriptTimes;
import io.holdfast.benchmarks.harness.Together;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.RedisWire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * Leases that one client holds for a while, after others came and went.
 *
 * @param time for how long they are measured
 */
record Holding(Contender contender, Duration time, int leases) {
  static final String PER_SECOND = "requests per second";
  static final String CPU = "client % of a core";
  static final String SERVER = "server % of a core";
  static final String CLIENT_EACH = "client µs per lease and second";
  static final String SERVER_EACH = "server µs per lease and second";
  static final String HEAP = "heap B each";
  static final String LOST = "lost";

  private static final int EARLIER = 10_000;

  /** Each lease is renewed once in a third of its time: with parts of that, requests are chance. */
  static Duration time(Plan plan, Duration leaseTime) {
    return leaseTime.multipliedBy(plan.size(6, 2)).dividedBy(3);
  }

  Metrics turn() throws Exception {
    List<String> names = IntStream.range(0, leases).mapToObj(i -> "held:" + i).toList();
    AtomicReferenceArray<Client.Taken> taken = new AtomicReferenceArray<>(leases);
    try (RedisServer server = RedisServer.start();
        Client client = contender.connect(server.hostAndPort())) {
      Together.run(Math.min(EARLIER, leases), i -> take(client, "cycle:" + i).giveBack());
      long heapBefore = Heap.used();
      Together.run(leases, i -> taken.set(i, take(client, names.get(i))));
      double heap = (Heap.used() - heapBefore) / (double) leases;
      Thread.sleep(time.dividedBy(2).toMillis()); // At first most of it is the JIT compiler's.
      ScriptTimes times = ScriptTimes.watch(server);
      // A few leases are less than what the JVM gets rid of meanwhile: then there is no figure.
      Metrics metrics = watched(server).with(HEAP, heap > 0 ? heap : Double.NaN);
      return times.report(metrics.with(LOST, leases - present(server, names)));
    }
  }

  private Metrics watched(RedisServer server) throws InterruptedException {
    Counters before = Counters.of(server);
    long startNanos = System.nanoTime();
    Thread.sleep(time.toMillis());
    Counters after = Counters.of(server);
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    double clientSeconds = after.clientSecondsSince(before) / seconds;
    double serverSeconds = after.serverSecondsSince(before) / seconds;
    return new Metrics()
        .with(PER_SECOND, after.requestsSince(before, contender.requests()) / seconds)
        .with(CPU, 100 * clientSeconds)
        .with(SERVER, 100 * serverSeconds)
        .with(CLIENT_EACH, 1e6 * clientSeconds / leases)
        .with(SERVER_EACH, 1e6 * serverSeconds / leases);
  }

  private static Client.Taken take(Client client, String name) throws Exception {
    Client.Taken taken = client.take(name, Duration.ZERO);
    if (taken == null) {
      throw new IllegalStateException("refused, though nobody else has that key");
    }
    return taken;
  }

  private long present(RedisServer server, List<String> names) {
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
}
