// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.HoldfastContender;
import io.holdfast.benchmarks.contenders.JedisContender;
import io.holdfast.benchmarks.contenders.LettuceContender;
import io.holdfast.benchmarks.contenders.RedissonContender;
import io.holdfast.benchmarks.contenders.RedissonContender.Kind;
import io.holdfast.benchmarks.harness.Child;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Counters;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Outcome;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.benchmarks.harness.Verdict;
import io.holdfast.benchmarks.harness.Workload;
import io.holdfast.testkit.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** C: several processes of several threads want one key, and work in it for a millisecond. */
public final class Processes implements Workload {
  private static final int PROCESSES = 4;
  private static final int THREADS = 4;
  private static final int WORK_MILLIS = 1;

  private final List<Contender> contenders;

  public Processes(List<Contender> contenders) {
    this.contenders = contenders;
  }

  /** Everybody who can wait. */
  public static Processes all() {
    return new Processes(
        List.of(
            HoldfastContender.redis(),
            HoldfastContender.withoutPasses(),
            new LettuceContender(),
            new JedisContender(),
            new RedissonContender(Kind.LOCK),
            new RedissonContender(Kind.FENCED)));
  }

  @Override
  public String id() {
    return "C-processes";
  }

  @Override
  public String title() {
    return "one key, 4 processes of 4 threads, 1 ms section: at most 1,000 hand-overs in a second";
  }

  @Override
  public Outcome run(Plan plan) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      Map<String, Metrics> results =
          Interleaved.run(
              id(),
              plan.cold(),
              Contenders.byName(contenders),
              contender -> turn(contender, server, plan));
      return new Outcome(results, verdicts(results));
    }
  }

  private static Metrics turn(Contender contender, RedisServer server, Plan plan) throws Exception {
    server.call("FLUSHALL");
    Path section = Files.createTempFile("holdfast-section", null);
    List<Child> children = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        children.add(
            Child.start(
                Worker.class,
                List.of(
                    contender.name(),
                    server.hostAndPort(),
                    section.toString(),
                    Integer.toString(THREADS),
                    Integer.toString(WORK_MILLIS),
                    Long.toString(plan.warmUp().toMillis() * 3),
                    Long.toString(plan.time().toMillis() * 2))));
      }
      goOnTogether(children);
      Counters before = standing(children, server);
      Counters after = standing(children, server);
      return collect(children, contender, before, after);
    } finally {
      children.forEach(Child::close);
      Files.delete(section);
    }
  }

  /** Waits until all are so far, and lets them go on. */
  private static void goOnTogether(List<Child> children) throws IOException {
    for (Child child : children) {
      child.hear();
    }
    children.forEach(child -> child.tell("go on"));
  }

  private static Counters standing(List<Child> children, RedisServer server) throws IOException {
    for (Child child : children) {
      child.hear();
    }
    Counters counters = Counters.of(server);
    children.forEach(child -> child.tell("go on"));
    return counters;
  }

  private static Metrics collect(
      List<Child> children, Contender contender, Counters before, Counters after)
      throws IOException {
    double total = 0;
    double seconds = 0;
    double violations = 0;
    Histogram nanos = new Histogram(3);
    for (Child child : children) {
      String[] counts = child.hear().split(" ", 3);
      total += Long.parseLong(counts[0]);
      seconds = Math.max(seconds, Double.parseDouble(counts[1]));
      violations += Long.parseLong(counts[2]);
      nanos.add(Worker.decoded(child.hear().split(" ", 2)[1]));
    }
    Metrics metrics = new Metrics().with(Metrics.RATE, total / seconds).withLatency(nanos);
    return metrics
        .with(Metrics.REQUESTS, after.requestsSince(before, contender.requests()) / total)
        .with(Metrics.VIOLATIONS, violations);
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics direct = results.get("Holdfast, no local passes");
    if (ours == null || direct == null) {
      return List.of();
    }
    double ideal = 1000.0 / WORK_MILLIS;
    return List.of(
        Verdict.atLeast("hand-overs ÷ ideal", ours.get(Metrics.RATE) / ideal, 0.90),
        Verdict.atMost("requests for each", ours.get(Metrics.REQUESTS), 0.5),
        Verdict.atLeast(
            "hand-overs ÷ ideal, no local passes", direct.get(Metrics.RATE) / ideal, 0.82));
  }
}
