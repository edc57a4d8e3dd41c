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

  /** All scenes in one SVG document. */
  public static String svg(List<Verdict> verdicts) {
    StringBuilder body = new StringBuilder();
    int y = 30;
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
      body.append(
          "<rect x='%d' y='%d' width='%d' height='%d' fill='%s'/>%n"
              .formatted(
                  start,
                  rows.getOrDefault(span.replica(), top) + 10 - height / 2,
                  width,
                  height,
                  span.activity().colour()));
    }
    for (Event event : timeline.events()) {
      text(
          body,
          pixel(timeline, event.at()) + 4,
          rows.getOrDefault(event.replica(), top) + 15,
          "#000",
          event.mark() + " " + event.what());
    }
    return y;
  }

  private static int pixel(Timeline timeline, long at) {
    return LEFT + (int) (at * PIXELS / timeline.end());
  }

  private static void text(StringBuilder body, int x, int y, String colour, String words) {
    String escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    body.append("<text x='%d' y='%d' fill='%s'>%s</text>%n".formatted(x, y, colour, escaped));
  }
}
