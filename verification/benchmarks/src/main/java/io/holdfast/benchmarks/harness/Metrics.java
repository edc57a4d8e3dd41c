// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
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

  private final Map<String, Double> values = new LinkedHashMap<>();

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

  /** The median of each value; of violations the sum, because one is one too many. */
  public static Metrics medians(List<Metrics> rounds) {
    Metrics medians = new Metrics();
    for (String name : rounds.get(0).values.keySet()) {
      List<Double> sorted = new ArrayList<>();
      rounds.forEach(round -> sorted.add(round.get(name)));
      sorted.sort(null);
      double sum = sorted.stream().mapToDouble(Double::doubleValue).sum();
      medians.with(name, name.equals(VIOLATIONS) ? sum : middle(sorted));
    }
    return medians;
  }

  private static double middle(List<Double> sorted) {
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
