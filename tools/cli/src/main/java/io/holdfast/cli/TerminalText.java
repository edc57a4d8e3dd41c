// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

/**
 * Text that a terminal shows and does not obey. Names, purposes, hosts and notes come from a store
 * to which others write: a control sequence in them could rewrite what the screen says, and a
 * bidirectional override could show a name in another order than it has.
 */
final class TerminalText {
  private TerminalText() {}

  /** Returns the text with {@code \xNN} or <code>&#92;u{NNNN}</code> for what is not printed. */
  static String of(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(point -> append(point, shown));
    return shown.toString();
  }

  private static void append(int point, StringBuilder shown) {
    if (isPrinted(point)) {
      shown.appendCodePoint(point);
    } else {
      shown.append(String.format(point <= 0xFF ? "\\x%02x" : "\\u{%04x}", point));
    }
  }

  /** Whether a terminal shows this character, and does nothing else with it. */
  static boolean isPrinted(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> !isDirection(point);
    };
  }

  /** The marks, embeddings, overrides and isolates of bidirectional text. */
  private static boolean isDirection(int point) {
    return point == 0x061C
        || (point >= 0x200E && point <= 0x200F)
        || (point >= 0x202A && point <= 0x202E)
        || (point >= 0x2066 && point <= 0x2069);
  }
}
