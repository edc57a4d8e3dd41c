// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results as pictures: bars for rates, and what all pictures are made of. */
public final class Svg {
  private static final int LEFT = 220;
  private static final int WIDTH = 460;
  private static final int ROW = 22;

  private Svg() {}

  /** One bar for each contender: how much of the value it reached. */
  public static String bars(String title, Map<String, Metrics> contenders, String metric) {
    double most =
        contenders.values().stream().mapToDouble(each -> each.get(metric)).max().orElse(1);
    List<String> parts = new ArrayList<>(List.of(text(10, 20, "start", title)));
    int y = 40;
    for (Map.Entry<String, Metrics> contender : contenders.entrySet()) {
      double value = contender.getValue().get(metric);
      double share = Double.isFinite(value) ? value / most : 0;
      parts.add(text(LEFT - 8, y + 13, "end", contender.getKey()));
      parts.add(
          String.format(
              Locale.ROOT,
              "<rect x='%d' y='%d' width='%.1f' height='%d' fill='#1f4e8c'/>",
              LEFT,
              y,
              share * WIDTH,
              ROW - 6));
      parts.add(text(LEFT + (int) (share * WIDTH) + 6, y + 13, "start", Text.number(value)));
      y += ROW;
    }
    return document(LEFT + WIDTH + 90, y + 10, parts);
  }

  static String document(int width, int height, List<String> parts) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
                + " font-size='12'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            width,
            height)
        + String.join("\n", parts)
        + "\n</svg>\n";
  }

  static String text(int x, int y, String anchor, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;");
    return "<text x='" + x + "' y='" + y + "' text-anchor='" + anchor + "'>" + safe + "</text>";
  }
}
