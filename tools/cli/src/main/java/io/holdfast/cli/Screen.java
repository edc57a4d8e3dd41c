// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What a command prints: tables and colours for people, one JSON value for scripts. */
final class Screen {
  private static final boolean IS_TERMINAL = Boolean.getBoolean("holdfast.terminal");

  private final PrintStream out =
      new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
  private final boolean isTerminal;
  private final boolean isColoured;

  Screen() {
    this(IS_TERMINAL, isColoured(IS_TERMINAL));
  }

  private Screen(boolean isTerminal, boolean isColoured) {
    this.isTerminal = isTerminal;
    this.isColoured = isColoured;
  }

  private static boolean isColoured(boolean isTerminal) {
    String noColour = System.getenv("NO_COLOR");
    return isTerminal
        && (noColour == null || noColour.isEmpty())
        && !"dumb".equals(System.getenv("TERM"));
  }

  boolean isTerminal() {
    return isTerminal;
  }

  boolean isColoured() {
    return isColoured;
  }

  /** What a word means to whoever reads it. */
  enum Tone {
    GOOD("32"),
    CAUTION("33"),
    BAD("31"),
    QUIET("2"),
    STRONG("1");

    private final String code;

    Tone(String code) {
      this.code = code;
    }
  }

  String in(Tone tone, String text) {
    return isColoured ? "\u001b[" + tone.code + "m" + text + "\u001b[0m" : text;
  }

  /** A line of text that may come from a store. */
  void line(String text) {
    line("", text);
  }

  /** A line of our own words, which may be coloured, and of text that may come from a store. */
  void line(String own, String text) {
    out.println(own + TerminalText.of(text));
  }

  /** Lines of our own words alone, as they are. */
  void own(String lines) {
    out.println(lines);
  }

  void json(Object value) {
    out.println(Json.text(value));
  }

  /** Without a line's end; for what is to be overwritten. */
  void raw(String text) {
    out.print(text);
    out.flush();
  }

  /** Columns as wide as their widest cell; the last one as it is. Cells may come from a store. */
  void table(List<String> head, List<List<String>> cells) {
    List<List<String>> rows =
        cells.stream().map(row -> row.stream().map(TerminalText::of).toList()).toList();
    tableLines(head, rows).forEach(out::println);
  }

  private List<String> tableLines(List<String> head, List<List<String>> rows) {
    int[] widths = head.stream().mapToInt(String::length).toArray();
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(in(Tone.STRONG, aligned(head, widths)));
    rows.forEach(row -> lines.add(aligned(row, widths)));
    return lines;
  }

  private static String aligned(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      line.append(cell);
      line.append(" ".repeat(i == widths.length - 1 ? 0 : widths[i] - cell.length() + 2));
    }
    return line.toString().stripTrailing();
  }
}
