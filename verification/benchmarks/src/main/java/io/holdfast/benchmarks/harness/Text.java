// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Results as tables of Markdown, which also read well on a terminal. */
public final class Text {
  private Text() {}

  /** The table, and below it what is to be said of curves. */
  public static String outcome(Outcome outcome) {
    StringBuilder text = new StringBuilder(contenders(outcome));
    Growth growth = outcome.growth();
    if (growth != null) {
      text.append('\n');
      growth.findings().forEach(line -> text.append("- ").append(line).append('\n'));
    }
    return text.toString();
  }

  /** One row for each contender. */
  private static String contenders(Outcome outcome) {
    Set<String> columns = new LinkedHashSet<>();
    outcome.contenders().values().forEach(each -> columns.addAll(each.values().keySet()));
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("contender"));
    head.addAll(columns);
    rows.add(head);
    for (Map.Entry<String, Metrics> each : outcome.contenders().entrySet()) {
      List<String> row = new ArrayList<>(List.of(each.getKey()));
      columns.forEach(column -> row.add(number(each.getValue().get(column))));
      rows.add(row);
    }
    return table(rows);
  }

  /** One row for each figure of all workloads. */
  public static String verdicts(Map<Workload, Outcome> outcomes) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("workload", "figure", "measured", "wanted", ""));
    outcomes.forEach(
        (workload, outcome) -> {
          for (Verdict verdict : outcome.verdicts()) {
            rows.add(
                List.of(
                    workload.id(),
                    verdict.what(),
                    number(verdict.value()),
                    (verdict.atLeast() ? "≥ " : "≤ ") + number(verdict.wanted()),
                    verdict.isReached() ? "reached" : "missed"));
          }
        });
    return table(rows);
  }

  /** Short, with three digits that mean something. */
  public static String number(double value) {
    if (Double.isNaN(value)) {
      return "–";
    }
    if (Double.isInfinite(value)) {
      return "∞";
    }
    double size = Math.abs(value);
    String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size == 0 ? "%.0f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }

  private static String table(List<List<String>> rows) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String space = " ".repeat(widths[i] - cell.length());
        boolean isName = i == 0 || isWord(rows.get(rows.size() - 1).get(i));
        text.append("| ").append(isName ? cell + space : space + cell).append(' ');
      }
      text.append("|\n");
      if (r == 0) {
        for (int width : widths) {
          text.append("|").append("-".repeat(width + 2));
        }
        text.append("|\n");
      }
    }
    return text.toString();
  }

  private static boolean isWord(String cell) {
    return cell.isEmpty() || Character.isLetter(cell.codePointAt(0));
  }
}
