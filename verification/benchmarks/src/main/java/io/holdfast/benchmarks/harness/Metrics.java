// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measured values by their names, in the order in which they are printed. */
public final class Metrics {
  public static final String RATE = "per second";
  public static final String P50 = "p50 µs";
  public static final String P99 = "p99 µs";
  public static final String P999 = "p99.9 µs";
  public static final String REQUESTS = "requests";
  public static final String SERVER_CALLS = "server calls";
  public static final String BYTES = "bytes";
  public static final String CLIENT_CPU = "client µs";
  public static final String SERVER_CPU = "server µs";
  public static final String GARBAGE = "garbage B";
  public static final String FAIRNESS = "max/min";
  public static final String SECONDS = "seconds";
  public static final String VIOLATIONS = "violations";

  /** Of latencies, for pictures. */
  static final List<Double> PERCENTILES = List.of(0.0, 50.0, 90.0, 99.0, 99.9, 99.99);

  private final Map<String, Double> values = new LinkedHashMap<>();
  private final Map<Double, Double> percentiles = new LinkedHashMap<>();

  /** Adds a value. */
  public Metrics with(String name, double value) {
    values.put(name, value);
    return this;
  }

  /** Adds a count. */
  public Metrics with(String name, long count) {
    return with(name, (double) count);
  }

  /** Adds the latencies of a histogram in nanoseconds. */
  public Metrics withLatency(Histogram nanos) {
    PERCENTILES.forEach(each -> percentiles.put(each, nanos.getValueAtPercentile(each) / 1e3));
    return with(P50, nanos.getValueAtPercentile(50) / 1e3)
        .with(P99, nanos.getValueAtPercentile(99) / 1e3)
        .with(P999, nanos.getValueAtPercentile(99.9) / 1e3);
  }

  /** The value of this name; not a number if it was not measured. */
  public double get(String name) {
    return values.getOrDefault(name, Double.NaN);
  }

  /** All values. */
  public Map<String, Double> values() {
    return values;
  }

  /** Latencies in microseconds; none if they were not measured. */
  Map<Double, Double> percentiles() {
    return percentiles;
  }

  /** The median of each value; of violations the sum, because one is one too many. */
  public static Metrics medians(List<Metrics> rounds) {
    Metrics medians = new Metrics();
    for (String name : rounds.get(0).values.keySet()) {
      List<Double> all = rounds.stream().map(round -> round.get(name)).toList();
      double sum = all.stream().mapToDouble(Double::doubleValue).sum();
      medians.with(name, name.equals(VIOLATIONS) ? sum : middle(all));
    }
    for (Double each : rounds.get(0).percentiles.keySet()) {
      medians.percentiles.put(
          each, middle(rounds.stream().map(round -> round.percentiles.get(each)).toList()));
    }
    return medians;
  }

  private static double middle(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
