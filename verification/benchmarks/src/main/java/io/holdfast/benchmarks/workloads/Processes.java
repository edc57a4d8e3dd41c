// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.AloneContender;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * C: several processes of several threads want one key, and work in it for a millisecond. The
 * processes of a contender live from its first turn to the end, and begin with a turn in which they
 * do nothing with the key: what they compile would be most of what two cores have to do, and with a
 * hundred hand-overs a second in each of them it would take minutes.
 */
public final class Processes implements Workload {
  private static final int PROCESSES = 4;
  private static final int THREADS = 4;
  private static final int WORK_MILLIS = 1;
  private static final Contender ALONE = new AloneContender();

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
            new RedissonContender(Kind.FENCED),
            ALONE));
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
    Map<String, Crowd> crowds = new LinkedHashMap<>();
    contenders.forEach(each -> crowds.put(each.name(), new Crowd(each)));
    try (RedisServer server = RedisServer.start()) {
      Map<String, Metrics> results =
          Interleaved.run(id(), plan, crowds, crowd -> crowd.turn(server, plan));
      return new Outcome(results, verdicts(results));
    } finally {
      crowds.values().forEach(Crowd::close);
    }
  }

  /** The processes of one contender. */
  private static final class Crowd implements AutoCloseable {
    private final Contender contender;
    private final int size;
    private final List<Child> children = new ArrayList<>();

    Crowd(Contender contender) {
      this.contender = contender;
      this.size = contender.equals(ALONE) ? 1 : PROCESSES;
    }

    Metrics turn(RedisServer server, Plan plan) throws IOException {
      server.call("FLUSHALL");
      if (children.isEmpty()) {
        start(server);
        var unused = play(server, 0, plan.time().toMillis() * 3, 0);
      }
      return play(server, plan.warmUp().toMillis() * 3, plan.time().toMillis() * 2, WORK_MILLIS);
    }

    private Metrics play(RedisServer server, long warmUpMillis, long millis, int workMillis)
        throws IOException {
      String turn = warmUpMillis + " " + millis + " " + workMillis;
      children.forEach(child -> child.tell(turn));
      Counters before = standing(server);
      Counters after = standing(server);
      return collect(before, after);
    }

    private void start(RedisServer server) throws IOException {
      Path section = Files.createTempFile("holdfast-section", null);
      int threads = size == 1 ? 1 : THREADS;
      for (int i = 0; i < size; i++) {
        children.add(
            Child.start(
                Worker.class,
                List.of(
                    contender.name(),
                    server.hostAndPort(),
                    section.toString(),
                    Integer.toString(threads))));
      }
      for (Child child : children) {
        child.hear();
      }
      Files.delete(section); // They have it mapped.
    }

    /** Waits until all are so far, and lets them go on. */
    private Counters standing(RedisServer server) throws IOException {
      for (Child child : children) {
        child.hear();
      }
      Counters counters = Counters.of(server);
      children.forEach(child -> child.tell("go on"));
      return counters;
    }

    private Metrics collect(Counters before, Counters after) throws IOException {
      double total = 0;
      double seconds = 0;
      double violations = 0;
      Histogram nanos = new Histogram(3);
      for (Child child : children) {
        String[] counts = child.hear().split(" ", 3);
        total += Long.parseLong(counts[0]);
        seconds = Math.max(seconds, Double.parseDouble(counts[1]));
        violations += Long.parseLong(counts[2]);
        nanos.add(Worker.decoded(child.hear()));
      }
      return new Metrics()
          .with(Metrics.RATE, total / seconds)
          .withLatency(nanos)
          .with(Metrics.REQUESTS, after.requestsSince(before, contender.requests()) / total)
          .with(Metrics.VIOLATIONS, violations);
    }

    @Override
    public void close() {
      children.forEach(Child::close);
    }
  }

  private static List<Verdict> verdicts(Map<String, Metrics> results) {
    Metrics ours = results.get("Holdfast");
    Metrics direct = results.get("Holdfast, no local passes");
    if (ours == null || direct == null) {
      return List.of();
    }
    double ideal = 1000.0 / WORK_MILLIS;
    // On a busy machine a section takes longer than it should: nobody can be faster than this.
    double alone = results.getOrDefault(ALONE.name(), new Metrics()).get(Metrics.RATE);
    double rate = ours.get(Metrics.RATE);
    double directRate = direct.get(Metrics.RATE);
    return List.of(
        Verdict.atLeast("hand-overs ÷ ideal", rate / ideal, 0.90),
        Verdict.atLeast("hand-overs ÷ one thread, no lock", rate / alone, 0.90),
        Verdict.atMost("requests for each", ours.get(Metrics.REQUESTS), 0.5),
        Verdict.atLeast("hand-overs ÷ ideal, no local passes", directRate / ideal, 0.82),
        Verdict.atLeast(
            "hand-overs ÷ one thread, no lock; no local passes", directRate / alone, 0.82));
  }
}
