// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;

/** What an exception means, in words and in one line. Many of the JDK have no message. */
final class Reason {
  private Reason() {}

  /** Returns the first line of the message, or what the type of the exception says. */
  static String of(Throwable problem) {
    String message = problem.getMessage();
    if (message != null && !message.isBlank()) {
      return message.strip().lines().findFirst().orElse(message);
    }
    if (problem instanceof TimeoutException) {
      return "no answer in time";
    }
    if (problem.getClass().equals(IOException.class)) {
      return "reading or writing failed";
    }
    Throwable cause = problem.getCause();
    return cause == null ? inWords(problem.getClass()) : of(cause);
  }

  /** "illegal state" for an IllegalStateException: the JDK's names say what happened. */
  private static String inWords(Class<?> type) {
    String name = type.getSimpleName().replaceFirst("(Exception|Error)$", "");
    String words = name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    return words.isBlank() ? "a failure without a message" : words;
  }
}
