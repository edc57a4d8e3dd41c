// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a {@link Line}: made when it is needed, and made anew when it broke. Used by
 * one thread at a time, except that any may ask whether it is ready.
 */
final class LineConnection {
  /** A network may forget a connection after minutes without a word, and tell neither end. */
  static final Duration LONG_IDLE = Duration.ofSeconds(5);

  private final Line.Ends ends;
  private final ConnectionTrouble trouble;
  private volatile @Nullable Connection connection;
  private volatile long usedNanos = System.nanoTime();

  LineConnection(Line.Ends ends, ConnectionTrouble trouble) {
    this.ends = ends;
    this.trouble = trouble;
  }

  void use(@Nullable Connection opened) {
    connection = opened;
  }

  /** Whether a request need not wait until a connection is made. May be asked by any thread. */
  boolean isReady() {
    return connection != null && idle().compareTo(LONG_IDLE) < 0;
  }

  private Duration idle() {
    return Duration.ofNanos(System.nanoTime() - usedNanos);
  }

  /** Carries out tasks of one verb; they are answered, or fail, unless the verb left some. */
  <Q, A> void carryOut(List<Line.Task<Q, A>> tasks) {
    boolean isOld = connection != null;
    SQLException broken = carryOut(tasks, null);
    if (broken != null && isOld && tasks.get(0).verb().isRepeatable() && !isTimeout(broken)) {
      // The server, or something on the way, had ended it while it was idle.
      broken = carryOut(tasks.stream().filter(task -> !task.answer().isDone()).toList(), broken);
    }
    if (broken != null) {
      SQLException cause = broken;
      Duration timeout = ends.ownTimeout();
      fail(tasks, task -> Failures.of(task.what(), cause, timeout));
    }
  }

  /**
   * Returns what broke the connection, if it did: the tasks that are not answered may have been
   * carried out.
   *
   * @param earlier what broke the connection before, on which these tasks have been sent
   */
  private <Q, A> @Nullable SQLException carryOut(
      List<Line.Task<Q, A>> tasks, @Nullable SQLException earlier) {
    Connection open;
    try {
      open = open();
    } catch (SQLException unreachable) {
      trouble.broke(unreachable);
      if (earlier == null) {
        Duration timeout = ends.ownTimeout();
        fail(tasks, task -> Failures.ofConnection(task.what(), unreachable, timeout));
      }
      return earlier;
    } catch (BackendException unfit) {
      fail(tasks, task -> unfit);
      return null;
    } catch (RuntimeException | Error defect) {
      // Of a data source, perhaps. The line goes on.
      fail(
          tasks,
          task ->
              earlier == null
                  ? BackendException.notApplied(task.what() + ": " + defect, defect)
                  : Failures.of(task.what(), earlier, ends.ownTimeout()));
      return null;
    }
    try {
      tasks.get(0).verb().carryOut(open, tasks);
      usedNanos = System.nanoTime();
      if (ends.isShared()) {
        connection = null;
        ends.giveBack(open);
      }
      trouble.served();
    } catch (SQLException failed) {
      // Told before the failures are: whoever hears of one must not find its leases held.
      if (ends.isShared() || Failures.isBroken(failed)) {
        drop(open, failed);
      }
      if (Failures.isBroken(failed)) {
        return earlier == null ? failed : earlier;
      }
      // Known when the session has been made, which may have been just now.
      Duration timeout = ends.ownTimeout();
      fail(tasks, task -> Failures.of(task.what(), earlier == null ? failed : earlier, timeout));
    } catch (RuntimeException | Error failed) {
      // Also after an error, such as a stack that is full: what was read of the reply is not known.
      drop(open, failed);
      fail(
          tasks,
          task -> BackendException.unknown(task.what() + ": " + Failures.reason(failed), failed));
    }
    return null;
  }

  private Connection open() throws SQLException {
    Connection kept = connection;
    if (kept != null && !ends.isAlive(kept, idle())) {
      connection = null;
      ends.broken(kept);
      kept = null;
    }
    Connection open = kept == null ? ends.open() : kept;
    connection = open;
    return open;
  }

  /** What got no answer for long is not asked again: the time is up. */
  private static boolean isTimeout(SQLException failed) {
    return failed.getCause() instanceof SocketTimeoutException;
  }

  private void drop(Connection broken, Throwable cause) {
    connection = null;
    ends.broken(broken);
    trouble.broke(cause);
  }

  private interface Cause<Q, A> {
    BackendException of(Line.Task<Q, A> task);
  }

  private static <Q, A> void fail(List<Line.Task<Q, A>> tasks, Cause<Q, A> cause) {
    for (Line.Task<Q, A> task : tasks) {
      if (!task.answer().isDone()) {
        task.answer().completeExceptionally(cause.of(task));
      }
    }
  }

  /** Gives the connection back, if there is one. */
  void hangUp() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        ends.giveBack(open);
      } catch (SQLException | RuntimeException broken) {
        Connections.abandon(open);
      }
    }
  }
}
