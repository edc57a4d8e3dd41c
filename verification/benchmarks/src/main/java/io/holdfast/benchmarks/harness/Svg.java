// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results as pictures: bars for rates, and bars on a logarithmic scale for latencies. */
public final class Svg {
  private static final int LEFT = 220;
  private static final int WIDTH = 460;
  private static final int ROW = 22;
  private static final List<String> COLOURS = List.of("#2b6cb0", "#dd8a2f", "#b03a48");

  private Svg() {}

  /** One bar for each contender: how much of the value it reached. */
  public static String bars(String title, Map<String, Metrics> contenders, String metric) {
    double most =
        contenders.values().stream().mapToDouble(each -> each.get(metric)).max().orElse(1);
    return draw(title, contenders, List.of(metric), value -> value / most);
  }

  /** One bar for each contender and percentile, from a microsecond to ten seconds. */
  public static String latencies(String title, Map<String, Metrics> contenders) {
    return draw(
        title + " (p50, p99, p99.9 in µs; logarithmic)",
        contenders,
        List.of(Metrics.P50, Metrics.P99, Metrics.P999),
        value -> Math.log10(Math.max(1, value)) / 7);
  }

  private interface Scale {
    double share(double value);
  }

  private static String draw(
      String title, Map<String, Metrics> contenders, List<String> metrics, Scale scale) {
    List<String> parts = new ArrayList<>();
    int y = 40;
    for (Map.Entry<String, Metrics> contender : contenders.entrySet()) {
      parts.add(text(LEFT - 8, y + 14, "end", contender.getKey()));
      for (int i = 0; i < metrics.size(); i++) {
        double value = contender.getValue().get(metrics.get(i));
        double share = Double.isFinite(value) ? Math.min(1, scale.share(value)) : 0;
        int height = metrics.size() == 1 ? ROW - 6 : ROW / 2;
        parts.add(
            String.format(
                Locale.ROOT,
                "<rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>",
                LEFT,
                y,
                share * WIDTH,
                height,
                COLOURS.get(i)));
        parts.add(
            text(LEFT + (int) (share * WIDTH) + 6, y + height - 1, "start", Text.number(value)));
        y += height + 1;
      }
      y += 8;
    }
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
                + " font-size='12'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            LEFT + WIDTH + 90,
            y + 10)
        + text(10, 20, "start", title)
        + "\n"
        + String.join("\n", parts)
        + "\n</svg>\n";
  }

  private static String text(int x, int y, String anchor, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;");
    return "<text x='" + x + "' y='" + y + "' text-anchor='" + anchor + "'>" + safe + "</text>";
  }
}
