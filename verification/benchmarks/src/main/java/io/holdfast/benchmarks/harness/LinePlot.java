// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Lines over a logarithmic axis, with their names beside them. */
final class LinePlot {
  /** One of the lines. */
  record Line(String name, SortedMap<Double, Double> points) {}

  private static final int LEFT = 80;
  private static final int TOP = 50;
  private static final int WIDTH = 560;
  private static final int HEIGHT = 320;
  private static final int LEGEND = 300;
  private static final int LEGEND_ROW = 20;
  private static final List<String> COLOURS =
      List.of(
          "#1f4e8c", "#d9822b", "#2e8b57", "#b03a48", "#7b52ab", "#4aa3c7", "#8a6d3b", "#e377c2",
          "#6b6b6b", "#a3b82c", "#00868b", "#c04000");

  private final List<Line> lines;
  private final Map<Double, String> ticks;
  private final double least;
  private final double most;
  private final Scale scale;

  private LinePlot(List<Line> lines, SortedMap<Double, String> ticks) {
    this.lines = lines;
    this.ticks = ticks;
    this.least = ticks.firstKey();
    this.most = ticks.lastKey();
    this.scale = Scale.of(lines.stream().flatMap(line -> line.points().values().stream()).toList());
  }

  /** Over sizes, from the least power of ten to the greatest that is needed. */
  static String ofSizes(String title, String axis, List<Line> lines) {
    SortedMap<Double, String> ticks = new TreeMap<>();
    double[] sizes =
        lines.stream()
            .flatMap(line -> line.points().keySet().stream())
            .mapToDouble(Double::doubleValue)
            .toArray();
    double last = 1;
    for (double size : sizes) {
      last = Math.max(last, size);
    }
    double first = last;
    for (double size : sizes) {
      first = Math.min(first, size);
    }
    int from = (int) Math.floor(Math.log10(Math.max(1, first)));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log10(last)));
    for (int power = from; power <= to; power++) {
      ticks.put(Math.pow(10, power), String.format(Locale.ROOT, "%,.0f", Math.pow(10, power)));
    }
    return new LinePlot(lines, ticks).draw(title, axis);
  }

  /** Over percentiles: at each step to the right, a tenth of those before it took longer. */
  static String ofPercentiles(String title, Map<String, Metrics> contenders) {
    List<Line> lines = new ArrayList<>();
    contenders.forEach(
        (name, metrics) -> {
          SortedMap<Double, Double> points = new TreeMap<>();
          metrics.percentiles().forEach((part, micros) -> points.put(oneIn(part), micros));
          lines.add(new Line(name, points));
        });
    SortedMap<Double, String> ticks = new TreeMap<>();
    for (double percentile : Metrics.PERCENTILES) {
      String text =
          String.format(Locale.ROOT, percentile % 1 == 0 ? "%.0f %%" : "%s %%", percentile);
      ticks.put(oneIn(percentile), text);
    }
    return new LinePlot(lines, ticks).draw(title + ": µs", "percentile");
  }

  private static double oneIn(double percentile) {
    return 100 / (100 - percentile);
  }

  private String draw(String title, String axis) {
    int height = Math.max(TOP + HEIGHT + 60, TOP + (lines.size() + 1) * LEGEND_ROW);
    List<String> parts = new ArrayList<>();
    parts.add(Svg.text(10, 24, "start", title));
    parts.add(Svg.text(LEFT + WIDTH / 2, TOP + HEIGHT + 44, "middle", axis));
    ticks.forEach(
        (at, label) -> {
          parts.add(grid(x(at), TOP, x(at), (double) TOP + HEIGHT));
          parts.add(Svg.text((int) x(at), TOP + HEIGHT + 20, "middle", label));
        });
    for (double at : scale.ticks()) {
      parts.add(grid(LEFT, y(at), (double) LEFT + WIDTH, y(at)));
      parts.add(Svg.text(LEFT - 8, (int) y(at) + 4, "end", Text.number(at)));
    }
    for (int i = 0; i < lines.size(); i++) {
      parts.addAll(draw(lines.get(i), i));
    }
    return Svg.document(LEFT + WIDTH + LEGEND, height, parts);
  }

  private List<String> draw(Line line, int number) {
    String colour = COLOURS.get(number % COLOURS.size());
    List<String> parts = new ArrayList<>();
    StringBuilder path = new StringBuilder();
    line.points()
        .forEach(
            (size, value) -> {
              String at = String.format(Locale.ROOT, "%.1f,%.1f", x(size), y(value));
              path.append(path.isEmpty() ? "" : " ").append(at);
              parts.add(
                  String.format(
                      Locale.ROOT,
                      "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>",
                      x(size),
                      y(value),
                      colour));
            });
    parts.add(
        String.format(
            "<polyline points='%s' fill='none' stroke='%s' stroke-width='%s'/>",
            path, colour, number == 0 ? "3" : "1.6"));
    int row = TOP + 10 + number * LEGEND_ROW;
    int from = LEFT + WIDTH + 16;
    parts.add(
        String.format(
            "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='3'/>",
            from, row, from + 20, row, colour));
    parts.add(Svg.text(from + 26, row + 4, "start", line.name()));
    return parts;
  }

  private static String grid(double x1, double y1, double x2, double y2) {
    return String.format(
        Locale.ROOT,
        "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#dddddd'/>",
        x1,
        y1,
        x2,
        y2);
  }

  private double x(double size) {
    return LEFT + WIDTH * Math.log(size / least) / Math.log(most / least);
  }

  private double y(double value) {
    return TOP + HEIGHT * (1 - scale.share(value));
  }
}
