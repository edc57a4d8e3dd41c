// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What a failure says of the request. A reply with an error is a request that was not carried out:
 * the scripts read before they write. No reply is: nobody knows; unless Lettuce says that it never
 * sent the command.
 */
final class Failures {
  /** Errors that time mends: a server that starts, is full, has lost its place, or moves a slot. */
  private static final Set<String> PASSING =
      Set.of(
          "LOADING",
          "READONLY",
          "MASTERDOWN",
          "CLUSTERDOWN",
          "TRYAGAIN",
          "MOVED",
          "ASK",
          "OOM",
          "BUSY",
          "MISCONF",
          "NOREPLICAS",
          "NOSCRIPT",
          "UNKILLABLE");

  private static final Set<String> REFUSALS =
      Set.of("NOPERM", "NOAUTH", "WRONGPASS", "WRONGTYPE", "CROSSSLOT", "DENIED");

  private Failures() {}

  static BackendException of(String what, Throwable problem) {
    Throwable root = root(problem);
    if (root instanceof BackendException known) {
      return known;
    }
    String message = what + ": " + Reasons.of(root);
    if (root instanceof RedisCommandExecutionException error) {
      return ofReply(message, error);
    }
    if (root instanceof RedisConnectionException || wasNeverSent(root)) {
      return BackendException.notApplied(message, root);
    }
    return BackendException.unknown(message, root);
  }

  /** Of two servers that failed: that one refuses us tells more than that one is down. */
  static Throwable graver(@Nullable Throwable first, Throwable second) {
    return first instanceof BackendException refusal && !refusal.isTransient()
        ? first
        : root(second);
  }

  /** If all servers failed, and one because it refuses us, asking again is no use. */
  static BackendException ofStart(String what, Throwable problem) {
    BackendException failure = of(what, problem);
    return failure.getCause() instanceof BackendException refusal && !refusal.isTransient()
        ? BackendException.refused(failure.getMessage() + ": " + refusal.getMessage(), failure)
        : failure;
  }

  /** Nothing at all was heard of the servers while we were connecting. */
  static BackendException ofSilence(RedisSettings settings, Duration time) {
    return BackendException.notApplied(
        "no answer from "
            + settings
            + " within "
            + time.toMillis()
            + " ms: check host, port and firewall, or raise 'timeout'",
        null);
  }

  /** Without a connection nothing was asked for, and so nothing happened. */
  static BackendException ofConnection(String what, @Nullable Throwable problem) {
    BackendException failure =
        problem == null ? BackendException.notApplied(what, null) : of(what, problem);
    return failure.outcome() == Outcome.NOT_APPLIED
        ? failure
        : BackendException.notApplied(String.valueOf(failure.getMessage()), problem);
  }

  private static BackendException ofReply(String message, RedisCommandExecutionException error) {
    String code = code(error);
    if (PASSING.contains(code)) {
      return BackendException.notApplied(message, error);
    }
    if (REFUSALS.contains(code) || isForbidden(error)) {
      return BackendException.refused(message, error);
    }
    return BackendException.unknown(message, error);
  }

  /** How Redis 6.2 and 7 say it of a command inside a script. */
  private static boolean isForbidden(RedisCommandExecutionException error) {
    String text = String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT);
    return text.contains("can't run this command") || text.contains("no permissions");
  }

  /** The first word of an error reply, if this is one. */
  static @Nullable String codeOf(Throwable problem) {
    return root(problem) instanceof RedisCommandExecutionException error ? code(error) : null;
  }

  private static String code(RedisCommandExecutionException error) {
    String text = String.valueOf(error.getMessage());
    // Redis 6.2 puts the errors of commands inside a script behind a text of its own.
    int inner = text.indexOf(": -");
    String reply = inner < 0 ? text : text.substring(inner + 3);
    int blank = reply.indexOf(' ');
    return (blank < 0 ? reply : reply.substring(0, blank)).replaceFirst("^-", "");
  }

  private static boolean wasNeverSent(Throwable root) {
    String text = root instanceof RedisException ? String.valueOf(root.getMessage()) : "";
    return text.startsWith("Currently not connected")
        || text.startsWith("Connection is closed")
        || text.startsWith("Request queue size exceeded")
        || text.startsWith("Command buffer size exceeded");
  }

  static Throwable root(Throwable problem) {
    Throwable root = problem;
    while ((root instanceof CompletionException || root instanceof ExecutionException)
        && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
