// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/** What an exception means, in words. Many of Netty and the JDK have no message, or half a one. */
final class Reasons {
  private Reasons() {}

  static String of(Throwable problem) {
    String message = problem.getMessage();
    if (message == null || message.isBlank() || message.equals("null")) {
      return ofType(problem);
    }
    return problem instanceof UnknownHostException
        ? "the host name cannot be resolved: " + message
        : message;
  }

  private static String ofType(Throwable problem) {
    if (problem instanceof ClosedChannelException) {
      return "the connection was closed by the other end";
    }
    if (problem instanceof TimeoutException) {
      return "no answer in time";
    }
    if (problem instanceof UnknownHostException) {
      return "the host name cannot be resolved";
    }
    if (problem instanceof NoRouteToHostException) {
      return "there is no route to the host";
    }
    if (problem instanceof ConnectException) {
      return "the connection was refused";
    }
    if (problem instanceof CancellationException) {
      return "it was cancelled, because the client was closed";
    }
    return problem.getClass().getSimpleName() + " without a message";
  }
}
