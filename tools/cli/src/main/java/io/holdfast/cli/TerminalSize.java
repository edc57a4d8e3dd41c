// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;

/**
 * How much the terminal shows. Java cannot ask it, but {@code stty} can, each time anew: people
 * change the size of a window while they watch.
 *
 * @param rows how many lines
 * @param columns how many characters in each
 */
record TerminalSize(int rows, int columns) {
  private static final TerminalSize USUAL = new TerminalSize(24, 80);

  static TerminalSize current() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return parse(new String(stty.getInputStream().readAllBytes(), US_ASCII));
    } catch (IOException noTerminal) {
      return USUAL;
    }
  }

  /** A terminal that does not know its size says 0. */
  static TerminalSize parse(String answer) {
    if (!answer.strip().matches("[1-9]\\d{0,5} [1-9]\\d{0,5}")) {
      return USUAL;
    }
    String[] numbers = answer.strip().split(" ", -1);
    return new TerminalSize(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
  }
}
