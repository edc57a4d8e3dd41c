// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/** Aligns a table, and makes it fit into a width by cutting the cells of its widest columns. */
final class TableLayout {
  private static final String CUT = "…";
  private static final int GAP = 2;
  private static final int NARROWEST = 6;

  private TableLayout() {}

  /** Columns as wide as their widest cell, and all lines within the width, if there is one. */
  static List<String> lines(List<List<String>> rows, int width) {
    int[] widths = widths(rows);
    shrink(widths, width);
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      String line = aligned(row, widths);
      // What still does not fit would wrap, and no row could be told from the next.
      lines.add(line.length() > width ? cut(line, width) : line);
    }
    return lines;
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static void shrink(int[] widths, int width) {
    int total = GAP * (widths.length - 1);
    for (int one : widths) {
      total += one;
    }
    while (total > width) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] > widths[widest] ? i : widest;
      }
      if (widths[widest] <= NARROWEST) {
        return;
      }
      widths[widest]--;
      total--;
    }
  }

  private static String aligned(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cut(cells.get(i), widths[i]);
      line.append(cell);
      line.append(" ".repeat(i == widths.length - 1 ? 0 : widths[i] - cell.length() + GAP));
    }
    return line.toString().stripTrailing();
  }

  private static String cut(String text, int width) {
    if (text.length() <= width) {
      return text;
    }
    int end = Math.max(0, width - 1);
    // Not in the middle of a character.
    end = end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
    return text.substring(0, end) + CUT;
  }
}
