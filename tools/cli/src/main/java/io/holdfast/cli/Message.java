// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.List;
import java.util.Locale;

/**
 * What our own words are about. They are on stderr, because stdout is the command's, or a script's;
 * with {@code --json} each of them is a line of JSON. The shell's half of {@code run} does the
 * same.
 */
enum Message {
  /** Wrong usage. */
  USAGE,
  /** The store cannot be used. */
  UNAVAILABLE,
  /** A defect of Holdfast itself. */
  DEFECT,
  /** The lock is not there yet, and this is why. */
  WAITING,
  /** The lock was not granted. */
  NOT_ACQUIRED,
  /** The lock is lost, or whoever watched over the command. */
  LOST,
  /** Anything else that is worth a line. */
  NOTE;

  private static volatile boolean isJson;

  /** Reads from the arguments, before anything else does, how we speak. */
  static void speakAs(List<String> arguments) {
    isJson = arguments.contains("--json");
  }

  void say(String text) {
    System.err.println(
        isJson
            ? Json.text(Json.object("event", word(), "message", text))
            : "holdfast: " + TerminalText.of(text));
  }

  /**
   * The same, by a thread of its own: a pipe that is not read, or a terminal that was halted, would
   * keep us from what is to be done.
   */
  void sayAside(String text) {
    Thread speaker = new Thread(() -> say(text), "holdfast-speaker");
    speaker.setDaemon(true);
    speaker.start();
  }

  private String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
