// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Curves of one workload.
 *
 * @param axis what grows
 * @param costs the metrics that are drawn, and of which it is said whether they are flat
 * @param curves by what they are compared
 */
public record Growth(String axis, List<String> costs, List<Curve> curves) {

  /** One row for each point of each curve. */
  Map<String, Metrics> rows() {
    Map<String, Metrics> rows = new LinkedHashMap<>();
    for (Curve curve : curves) {
      curve
          .points()
          .forEach(
              (size, metrics) ->
                  rows.put(
                      String.format(Locale.ROOT, "%s, %,d %s", curve.name(), size, axis), metrics));
    }
    return rows;
  }

  /** One line for each curve: which of its costs are flat. */
  public List<String> findings() {
    List<String> lines = new ArrayList<>();
    for (Curve curve : curves) {
      List<String> parts = costs.stream().map(curve::finding).toList();
      lines.add(curve.name() + ": " + String.join("; ", parts) + ".");
    }
    return lines;
  }

  /** As a picture: one line for each cost of each curve. */
  public String picture(String title) {
    List<LinePlot.Line> lines = new ArrayList<>();
    for (Curve curve : curves) {
      for (String cost : costs) {
        if (!curve.of(cost).isEmpty()) {
          lines.add(new LinePlot.Line(curve.name() + ", " + cost, curve.of(cost)));
        }
      }
    }
    return LinePlot.ofSizes(title, axis, lines);
  }
}
