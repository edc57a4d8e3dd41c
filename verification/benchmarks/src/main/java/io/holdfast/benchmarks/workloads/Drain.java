// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Sections;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** E and F: many waiters, one release, until all were served; in one client or in one each. */
public final class Drain implements Workload {
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration HEAD_START = Duration.ofMillis(1500);
  private static final String UNSERVED = "unserved";

  private final int waiters;
  private final boolean clientEach;
  private final List<Contender> contenders;

  private Drain(int waiters, boolean clientEach, List<Contender> contenders) {
    this.waiters = waiters;
    this.clientEach = clientEach;
    this.contenders = contenders;
  }

  /** E: all in one client. */
  public static Drain inOneClient(int waiters) {
    return new Drain(
        waiters,
        false,
        List.of(
            HoldfastContender.redis(),
            HoldfastContender.withoutPasses(),
            new RedissonContender(Kind.LOCK)));
  }

  /** F: each in a client of its own. */
  public static Drain inClients(int waiters) {
    return new Drain(
        waiters, true, List.of(HoldfastContender.redis(), new RedissonContender(Kind.LOCK)));
  }

  @Override
  public String id() {
    return clientEach ? "F-clients" : "E-waiters";
  }

  @Override
  public String title() {
    return waiters
        + " waiters in "
        + (clientEach ? waiters + " clients" : "one client")
        + ", one release, until all were served";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      Map<String, Metrics> results =
          Interleaved.run(
              id(), plan, Contenders.byName(contenders), contender -> turn(contender, server));
      return new Outcome(results, verdicts(results));
    }
  }

  private Metrics turn(Contender contender, RedisServer server) throws Exception {
    server.call("FLUSHALL");
    List<Client> clients = new ArrayList<>();
    try {
      for (int i = 0; i < (clientEach ? waiters : 1); i++) {
        clients.add(contender.connect(server.hostAndPort()));
      }
      Metrics unused = new Run(contender, clients, server, Math.min(waiters, 100)).measure();
      return new Run(contender, clients, server, waiters).measure();
    } finally {
      clients.forEach(Client::close);
    }
  }

  /** One release, and what follows. */
  private record Run(Contender contender, List<Client> clients, RedisServer server, int waiters) {

    Metrics measure() throws Exception {
      Sections section = Sections.of(1);
      CountDownLatch served = new CountDownLatch(waiters);
      CountDownLatch measured = new CountDownLatch(1);
      AtomicInteger unserved = new AtomicInteger();
      Counters before = Counters.of(server);
      Client.Taken first = clients.get(0).take("drained", WAIT);
      for (int i = 0; i < waiters; i++) {
        Client client = clients.get(i % clients.size());
        Thread thread =
            new Thread(
                () -> {
                  if (!serve(client, section)) {
                    unserved.incrementAndGet();
                  }
                  served.countDown();
                  // The end of a thread costs more than a hand-over, and is no part of it.
                  await(measured);
                });
        thread.setDaemon(true);
        thread.start();
      }
      Thread.sleep(HEAD_START.toMillis() + waiters);
      long startNanos = System.nanoTime();
      if (first != null) {
        first.giveBack();
      }
      served.await();
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      Counters after = Counters.of(server);
      measured.countDown();
      return new Metrics()
          .with(Metrics.SECONDS, seconds)
          .with(Metrics.REQUESTS, after.requestsSince(before, contender.requests()) / (waiters + 1))
          .with(UNSERVED, unserved.get())
          .with(Metrics.VIOLATIONS, section.violations());
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    private static boolean serve(Client client, Sections section) {
      try {
        Client.@Nullable Taken taken = client.take("drained", WAIT);
        if (taken == null) {
          return false;
        }
        section.enter(0);
        section.leave(0);
        taken.giveBack();
        return true;
      } catch (Exception failed) {
        return false;
      }
    }
  }

  private List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics direct = results.get("Holdfast, no local passes");
    Metrics redisson = results.get("Redisson RLock");
    if (ours == null || redisson == null) {
      return List.of();
    }
    if (clientEach || direct == null) {
      return List.of(Verdict.atMost("requests for each", ours.get(Metrics.REQUESTS), 2));
    }
    double theirs = redisson.get(Metrics.SECONDS);
    return List.of(
        Verdict.atMost("time ÷ Redisson RLock", ours.get(Metrics.SECONDS) / theirs, 1.0 / 6),
        Verdict.atMost("requests for each", ours.get(Metrics.REQUESTS), 1.1),
        Verdict.atMost(
            "time ÷ Redisson RLock, no local passes",
            direct.get(Metrics.SECONDS) / theirs,
            1.0 / 6));
  }
}
