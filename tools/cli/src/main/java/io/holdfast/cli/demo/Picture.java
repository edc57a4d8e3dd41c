// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli.demo;

import io.holdfast.cli.demo.Timeline.Activity;
import io.holdfast.cli.demo.Timeline.Event;
import io.holdfast.cli.demo.Timeline.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Timelines as pictures: with characters, and as SVG. */
public final class Picture {
  private static final int COLUMNS = 56;
  private static final int PIXELS = 640;
  private static final int ROW = 26;
  private static final int LEFT = 110;

  private Picture() {}

  /** A line for each replica, and one for the time; none if nothing is known. */
  public static List<String> lines(Timeline timeline) {
    List<String> lines = new ArrayList<>();
    for (String replica : replicas(timeline)) {
      lines.add("%-10s %s".formatted(replica, line(timeline, replica)));
    }
    if (!lines.isEmpty()) {
      lines.add("%-10s 0%s%d ms".formatted("", " ".repeat(COLUMNS - 8), timeline.end()));
    }
    return lines;
  }

  private static String line(Timeline timeline, String replica) {
    char[] cells = new char[COLUMNS + 1];
    Arrays.fill(cells, ' ');
    for (Span span : timeline.spans()) {
      if (span.replica().equals(replica)) {
        Arrays.fill(
            cells,
            cell(timeline, span.start()),
            cell(timeline, span.end()) + 1,
            span.activity().mark());
      }
    }
    StringBuilder words = new StringBuilder();
    for (Event event : timeline.events()) {
      if (event.replica().equals(replica)) {
        cells[cell(timeline, event.at())] = event.mark();
        words.append("  ").append(event.what());
      }
    }
    return new String(cells) + words;
  }

  private static int cell(Timeline timeline, long at) {
    return (int) (at * COLUMNS / timeline.end());
  }

  private static SortedSet<String> replicas(Timeline timeline) {
    TreeSet<String> replicas = new TreeSet<>();
    timeline.spans().forEach(span -> replicas.add(span.replica()));
    timeline.events().forEach(event -> replicas.add(event.replica()));
    return replicas;
  }

  /** What the marks in {@link #lines} mean. */
  public static String legend() {
    return "█ holds the lock   · waits   ░ paused   ✓ done   ✗ killed or refused";
  }

  /** All scenes in one SVG document, with the title and the legend that the text has. */
  public static String svg(List<Verdict> verdicts, String store) {
    StringBuilder body = new StringBuilder();
    String title = "Four replicas of a booking service; their locks are at " + store;
    body.append("<title>%s</title>%n".formatted(escaped(title)));
    text(body, 10, 30, "#000", title);
    int y = legend(body, 54) + 26;
    for (Verdict verdict : verdicts) {
      text(body, 10, y, verdict.held() ? "#000" : "#c62828", verdict.scene());
      text(body, 10, y + 18, "#616161", verdict.seen());
      y = scene(body, verdict.timeline(), y + 30) + 24;
    }
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="#fff"/>
        %s</svg>
        """
        .formatted(LEFT + PIXELS + 140, y, body);
  }

  private static int legend(StringBuilder body, int y) {
    Map<String, String> colours = new LinkedHashMap<>();
    colours.put("holds the lock", Activity.HOLDS.colour());
    colours.put("waits", Activity.WAITS.colour());
    colours.put("paused", Activity.PAUSED.colour());
    int x = 10;
    for (Map.Entry<String, String> entry : colours.entrySet()) {
      int height = entry.getValue().equals(Activity.WAITS.colour()) ? 4 : 16;
      rectangle(body, x, y - 5 - height / 2, 24, height, entry.getValue());
      text(body, x + 30, y, "#000", entry.getKey());
      x += 140;
    }
    text(body, x, y, "#000", "✓ done   ✗ killed or refused");
    return y;
  }

  /** A line with a mark at each quarter, in milliseconds; none if nothing is known. */
  private static int axis(StringBuilder body, Timeline timeline, int y) {
    rectangle(body, LEFT, y, PIXELS, 1, "#616161");
    for (int quarter = 0; quarter <= 4; quarter++) {
      int x = LEFT + PIXELS * quarter / 4;
      rectangle(body, x, y, 1, 5, "#616161");
      String label = timeline.end() * quarter / 4 + (quarter == 4 ? " ms" : "");
      text(body, x - 4, y + 18, "#616161", label);
    }
    return y + 26;
  }

  private static void rectangle(
      StringBuilder body, int x, int y, int width, int height, String colour) {
    body.append(
        "<rect x='%d' y='%d' width='%d' height='%d' fill='%s'/>%n"
            .formatted(x, y, width, height, colour));
  }

  private static int scene(StringBuilder body, Timeline timeline, int top) {
    Map<String, Integer> rows = new LinkedHashMap<>();
    int y = top;
    for (String replica : replicas(timeline)) {
      rows.put(replica, y);
      text(body, 10, y + 15, "#000", replica);
      y += ROW;
    }
    for (Span span : timeline.spans()) {
      int start = pixel(timeline, span.start());
      int width = Math.max(2, pixel(timeline, span.end()) - start);
      int height = span.activity() == Activity.WAITS ? 4 : 16;
      int y0 = rows.getOrDefault(span.replica(), top) + 10 - height / 2;
      rectangle(body, start, y0, width, height, span.activity().colour());
    }
    for (Event event : timeline.events()) {
      text(
          body,
          pixel(timeline, event.at()) + 4,
          rows.getOrDefault(event.replica(), top) + 15,
          "#000",
          event.mark() + " " + event.what());
    }
    return rows.isEmpty() ? y : axis(body, timeline, y);
  }

  private static int pixel(Timeline timeline, long at) {
    return LEFT + (int) (at * PIXELS / timeline.end());
  }

  private static void text(StringBuilder body, int x, int y, String colour, String words) {
    body.append(
        "<text x='%d' y='%d' fill='%s'>%s</text>%n".formatted(x, y, colour, escaped(words)));
  }

  private static String escaped(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
