// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/**
 * What a failure says of a statement. Each of ours is a transaction of its own, so that an error
 * reply means that it was rolled back; session locks, which are not rolled back, are looked after
 * by {@link AdvisoryLocks}. No reply, or one that ends the session, means that nobody knows.
 */
final class Failures {
  /** SQL states that time mends, and the next step if it does not. */
  private static final Map<String, String> PASSING =
      Map.ofEntries(
          Map.entry("40P01", "a deadlock was broken; the request is repeated"),
          Map.entry("40001", "a serialization failure; the request is repeated"),
          Map.entry("57014", "cancelled: statement_timeout of this role or server is too short"),
          Map.entry("55P03", "somebody keeps the lock's row locked: look for an open transaction"),
          Map.entry(
              "25006",
              "the server is read-only: a standby, or a primary that was demoted. Name all servers"
                  + " in the address, so that the primary is found"),
          Map.entry("53100", "the disk of the server is full"),
          Map.entry(
              "53200",
              "the server's lock table is full: raise max_locks_per_transaction, hold fewer locks,"
                  + " or use mode=lease"),
          Map.entry("53300", "the server has no connection left: raise max_connections"),
          Map.entry("53400", "a limit of the server's configuration was reached"),
          Map.entry("57P03", "the server is starting or stopping"),
          Map.entry("58030", "the server cannot read or write its files"));

  /** SQL states that somebody has to mend. */
  private static final Map<String, String> REFUSALS =
      Map.ofEntries(
          Map.entry(
              "42501", "this user lacks a privilege: see the GRANTs at the top of schema.sql"),
          Map.entry("28000", "the server does not let this user in: see its pg_hba.conf"),
          Map.entry("28P01", "the password is wrong"),
          Map.entry("3D000", "there is no such database"),
          Map.entry("3F000", "the schema is missing: run schema.sql, or allow create=true"),
          Map.entry("42P01", "a table is missing: run schema.sql, or allow create=true"),
          Map.entry("42883", "a function is missing: run schema.sql, or allow create=true"),
          Map.entry("HF001", "set default_transaction_isolation of this user to 'read committed'"));

  private Failures() {}

  /**
   * Of a statement that was sent.
   *
   * @param ownTimeout the time-out that the backend has set; null if the role's or the server's own
   *     applied
   */
  static BackendException of(String what, SQLException problem, @Nullable Duration ownTimeout) {
    String state = String.valueOf(problem.getSQLState());
    String message = message(what, problem, ownTimeout);
    if (REFUSALS.containsKey(state)) {
      return BackendException.refused(message, problem);
    }
    if (PASSING.containsKey(state) || isReply(problem)) {
      return BackendException.notApplied(message, problem);
    }
    return BackendException.unknown(message, problem);
  }

  /** Without a connection nothing was asked for, and so nothing happened. */
  static BackendException ofConnection(
      String what, SQLException problem, @Nullable Duration ownTimeout) {
    String state = String.valueOf(problem.getSQLState());
    String message = message(what, problem, ownTimeout);
    return REFUSALS.containsKey(state)
        ? BackendException.refused(message, problem)
        : BackendException.notApplied(message, problem);
  }

  /** Whether the connection is of no use any more. */
  static boolean isBroken(SQLException problem) {
    String state = String.valueOf(problem.getSQLState());
    // A read-only server: the primary is elsewhere by now.
    return !isReply(problem) || state.equals("25006");
  }

  /** Whether another transaction keeps a lock or a row for longer than a statement waits. */
  static boolean isBusy(SQLException problem) {
    return "55P03".equals(problem.getSQLState());
  }

  static boolean isFull(SQLException problem) {
    return "53200".equals(problem.getSQLState());
  }

  /** An error that the server reports of a statement, and after which the session goes on. */
  private static boolean isReply(SQLException problem) {
    String state = String.valueOf(problem.getSQLState());
    return problem instanceof PSQLException known
        && known.getServerErrorMessage() != null
        && !state.startsWith("08")
        && !state.startsWith("57P");
  }

  /** What went wrong, in words: some exceptions have no message. */
  static String reason(Throwable problem) {
    String message = problem.getMessage();
    return message == null || message.isBlank()
        ? problem.getClass().getSimpleName() + " without a message"
        : message.lines().findFirst().orElse(message);
  }

  private static String message(String what, SQLException problem, @Nullable Duration ownTimeout) {
    String state = String.valueOf(problem.getSQLState());
    String advice =
        ownTimeout != null && state.equals("57014")
            ? tooSlow(ownTimeout)
            : PASSING.getOrDefault(state, REFUSALS.get(state));
    String message = problem.getMessage();
    String text = what + ": " + (message == null ? reason(problem) : message);
    return advice == null ? text : text + " (" + advice + ")";
  }

  private static String tooSlow(Duration timeout) {
    return "the database did not answer within three quarters of timeout="
        + timeout.toMillis()
        + "ms: find out what slows it, or give it longer with 'timeout' in the address, up to 4s";
  }
}
