// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/** What an exception means, in words. Many of the JDK have no message. */
final class FailureReasons {
  private FailureReasons() {}

  static String of(Throwable problem) {
    String message = problem.getMessage();
    return message == null || message.isBlank() ? ofType(problem) : message;
  }

  private static String ofType(Throwable problem) {
    if (problem instanceof TimeoutException) {
      return "no answer in time";
    }
    if (problem.getClass().equals(IOException.class)) {
      return "reading or writing failed";
    }
    if (problem instanceof InterruptedException
        || problem instanceof InterruptedIOException
        || problem instanceof ClosedByInterruptException) {
      return "it was interrupted";
    }
    if (problem instanceof CancellationException) {
      return "it was cancelled";
    }
    if (problem instanceof ClosedChannelException) {
      return "it was closed meanwhile";
    }
    if (problem instanceof EOFException) {
      return "it ends too early";
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
