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

  /** Whether what was printed could not be written, as to a pipe whose reader has ended. */
  boolean isUnread() {
    return out.checkError();
  }

  /** Without a line's end; for what is to be overwritten. */
  void raw(String text) {
    out.print(text);
    out.flush();
  }

  /** Fits into a terminal's width; elsewhere as wide as it is. Cells may come from a store. */
  void table(List<String> head, List<List<String>> cells) {
    List<List<String>> rows =
        cells.stream().map(row -> row.stream().map(TerminalText::of).toList()).toList();
    tableLines(head, rows, isTerminal ? TerminalSize.current().columns() : Integer.MAX_VALUE)
        .forEach(out::println);
  }

  private List<String> tableLines(List<String> head, List<List<String>> rows, int width) {
    List<List<String>> all = new ArrayList<>();
    all.add(head);
    all.addAll(rows);
    List<String> lines = new ArrayList<>(TableLayout.lines(all, width));
    lines.set(0, in(Tone.STRONG, lines.get(0)));
    return lines;
  }
}
