// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What something costs as it grows.
 *
 * @param name which of several curves it is
 * @param points what was measured at each size
 */
public record Curve(String name, SortedMap<Integer, Metrics> points) {
  /** Of what grows a hundredfold and more, this much is noise. */
  private static final double FLAT = 1.5;

  public Curve(String name) {
    this(name, new TreeMap<>());
  }

  /** This metric at each size at which it was measured. */
  SortedMap<Double, Double> of(String metric) {
    SortedMap<Double, Double> values = new TreeMap<>();
    points.forEach(
        (size, metrics) -> {
          if (Double.isFinite(metrics.get(metric))) {
            values.put((double) size, metrics.get(metric));
          }
        });
    return values;
  }

  /** How many times as much it costs at the greatest size as at the least, in words. */
  String finding(String metric) {
    SortedMap<Double, Double> values = of(metric);
    if (values.size() < 2) {
      return metric + ": not measured";
    }
    List<Double> costs = List.copyOf(values.values());
    double first = costs.get(0);
    double last = costs.get(costs.size() - 1);
    return String.format(
        Locale.ROOT,
        "%s: %s at %,.0f, %s at %,.0f: %s",
        metric,
        Text.number(first),
        values.firstKey(),
        Text.number(last),
        values.lastKey(),
        shape(first, last));
  }

  private static String shape(double first, double last) {
    if (last > first * FLAT) {
      return "grows to " + Text.number(last / first) + " times";
    }
    return last < first / FLAT ? "falls to " + Text.number(last / first) + " of it" : "flat";
  }
}
