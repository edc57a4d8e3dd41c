// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench}: a quick load on the chosen store. */
@Command(
    name = "bench",
    header = "Put a quick load on a store, and show how long locks take.",
    footer = {
      "Examples:",
      "  holdfast bench                                    ten seconds on this machine",
      "  holdfast bench --url redis://host --threads 32 --time 1m",
      ""
    },
    description = {
      "Threads acquire and release: first each its own lock, then all of them one lock. Locally",
      "passed locks are turned off, so that every operation reaches the store.",
      "REQUESTS are what we asked of the store: acquire, renew, release. COMMANDS are what its",
      "servers executed, by their own count: for everybody, those inside of scripts included. They",
      "are known for Redis, and for PostgreSQL with the extension pg_stat_statements."
    })
final class BenchCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int BAR = 40;

  @Option(names = "--threads", paramLabel = "N", description = "How many threads. Default: 8.")
  private int threads = 8;

  @Option(
      names = "--time",
      paramLabel = "DURATION",
      description = "How long, in all. Default: 10s.")
  private Duration time = Duration.ofSeconds(10);

  @Mixin private final Common common = new Common();

  /** What a phase measured; times in nanoseconds, in ascending order. */
  private record Result(
      String phase, List<Long> times, Duration took, long requests, OptionalLong commands) {
    double requestsEach() {
      return (double) requests / Math.max(1, times.size());
    }

    @Nullable Double commandsEach() {
      return commands.isEmpty() ? null : (double) commands.getAsLong() / Math.max(1, times.size());
    }

    double percentile(double part) {
      int index = (int) Math.ceil(part * times.size()) - 1;
      return times.get(Math.max(0, index)) / 1e6;
    }

    double perSecond() {
      return times.size() / (took.toNanos() / 1e9);
    }
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    if (threads < 1 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("a load has at least one thread and takes some time");
    }
    CountingBackend store = new CountingBackend(common.backend());
    String names = "holdfast-bench-" + UUID.randomUUID().toString().substring(0, 8) + ":";
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    try (Holdfast holdfast = Common.builder(store).build()) {
      new Waiting(common, holdfast, names + "ready").untilReady();
      List<Result> results = new ArrayList<>();
      results.add(phase("a lock each", holdfast, store, workers, number -> names + number));
      results.add(phase("one lock for all", holdfast, store, workers, number -> names + "all"));
      report(results);
    } finally {
      workers.shutdownNow();
    }
    return ExitCode.DONE;
  }

  private Result phase(
      String phase,
      Holdfast holdfast,
      CountingBackend store,
      ExecutorService workers,
      IntFunction<String> nameOf)
      throws InterruptedException, ExecutionException {
    OptionalLong executed = store.executed();
    long before = store.requests();
    long start = System.nanoTime();
    long end = start + time.toNanos() / 2;
    List<Future<long[]>> work = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      String name = nameOf.apply(i);
      work.add(workers.submit(() -> load(holdfast, name, end)));
    }
    showProgress(phase, start, end);
    List<long[]> times = new ArrayList<>();
    for (Future<long[]> one : work) {
      times.add(measured(one));
    }
    List<Long> all = times.stream().flatMapToLong(Arrays::stream).sorted().boxed().toList();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    long requests = store.requests() - before;
    return new Result(phase, all, took, requests, difference(executed, store.executed()));
  }

  private static long[] measured(Future<long[]> one)
      throws InterruptedException, ExecutionException {
    try {
      return one.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof LockException problem) {
        throw problem;
      }
      throw failed;
    }
  }

  private static OptionalLong difference(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent()
        ? OptionalLong.of(after.getAsLong() - before.getAsLong())
        : OptionalLong.empty();
  }

  private static long[] load(Holdfast holdfast, String name, long end) throws InterruptedException {
    LongStream.Builder times = LongStream.builder();
    long now = System.nanoTime();
    while (now - end < 0) {
      try (Lease lease = holdfast.lock(name).acquire(PATIENCE)) {
        lease.release();
      }
      long done = System.nanoTime();
      times.add(done - now);
      now = done;
    }
    return times.build().toArray();
  }

  private void showProgress(String phase, long start, long end) throws InterruptedException {
    boolean shows = common.screen().isTerminal() && !common.json();
    for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
      if (shows) {
        int done = (int) ((now - start) * BAR / (end - start));
        common
            .screen()
            .raw("\r%-18s %s%s".formatted(phase, "█".repeat(done), "░".repeat(BAR - done)));
      }
      Thread.sleep(Math.max(1, Math.min(100, (end - now) / 1_000_000)));
    }
    if (shows) {
      common.screen().raw("\r" + " ".repeat(BAR + 20) + "\r");
    }
  }

  private void report(List<Result> results) {
    if (common.json()) {
      common.screen().json(results.stream().map(BenchCommand::json).toList());
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    for (Result result : results) {
      rows.add(
          List.of(
              result.phase(),
              format("%.0f", result.perSecond()),
              millis(result, 0.5),
              millis(result, 0.95),
              millis(result, 0.99),
              millis(result, 1),
              format("%.2f", result.requestsEach()),
              commands(result)));
    }
    common
        .screen()
        .table(
            List.of(
                "LOAD", "LOCKS/S", "P50", "P95", "P99", "MAX", "REQUESTS/LOCK", "COMMANDS/LOCK"),
            rows);
  }

  private static String commands(Result result) {
    Double each = result.commandsEach();
    return each == null ? "-" : format("%.2f", each);
  }

  private static String millis(Result result, double part) {
    return result.times().isEmpty() ? "-" : format("%.2f ms", result.percentile(part));
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static Object json(Result result) {
    boolean none = result.times().isEmpty();
    return Json.object(
        "load",
        result.phase(),
        "locks",
        result.times().size(),
        "locksPerSecond",
        result.perSecond(),
        "p50Millis",
        none ? null : result.percentile(0.5),
        "p95Millis",
        none ? null : result.percentile(0.95),
        "p99Millis",
        none ? null : result.percentile(0.99),
        "maxMillis",
        none ? null : result.percentile(1),
        "requestsPerLock",
        result.requestsEach(),
        "commandsPerLock",
        result.commandsEach());
  }
}
