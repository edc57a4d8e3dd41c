// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One connection and the one thread that speaks on it. What is asked while a statement is under way
 * is combined: all requests of one verb go in the next statement. So a thousand callers cost no
 * thread, and one connection does the work of many.
 */
final class Line implements AutoCloseable {
  private static final int MOST_TOGETHER = 256;

  /** What a statement does for a number of requests. */
  interface Verb<Q, A> {
    /** Answers the tasks; those it leaves unanswered fail with what it throws. */
    void carryOut(Connection connection, List<Task<Q, A>> tasks) throws SQLException;
  }

  /** One request, and its answer. */
  record Task<Q, A>(Verb<Q, A> verb, String what, Q request, CompletableFuture<A> answer) {}

  /** Where the connection comes from, and who is told that it is gone. */
  interface Ends {
    Connection open() throws SQLException;

    /** After a use, or when the line is closed. */
    void giveBack(Connection connection) throws SQLException;

    /** The connection broke: whatever its session held is gone. */
    void broken(Connection connection);

    /** Whether the connection is given back after each use. */
    boolean isShared();

    /** The time-out that this backend has set for a statement; null: the role's or the server's. */
    @Nullable Duration ownTimeout();
  }

  private final Ends ends;
  private final ConnectionTrouble trouble;
  private final Thread thread;
  private final BlockingQueue<Task<?, ?>> queue = new LinkedBlockingQueue<>();
  private final Task<?, ?> last = new Task<>((c, t) -> {}, "", "", new CompletableFuture<>());
  private volatile boolean closed;
  private @Nullable Connection connection;

  Line(String name, Ends ends, ConnectionTrouble trouble) {
    this.ends = ends;
    this.trouble = trouble;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /** Begins, with a connection that is open already if there is one. */
  void start(@Nullable Connection opened) {
    connection = opened;
    thread.start();
  }

  /** Asks; what for is said in case it fails. */
  <Q, A> CompletionStage<A> ask(Verb<Q, A> verb, String what, Q request) {
    Task<Q, A> task = new Task<>(verb, what, request, new CompletableFuture<>());
    queue.add(task);
    if (closed) {
      refuse(task);
    }
    return task.answer();
  }

  private void run() {
    List<Task<?, ?>> tasks = new ArrayList<>();
    while (!closed) {
      try {
        tasks.add(queue.take());
      } catch (InterruptedException interrupted) {
        continue;
      }
      queue.drainTo(tasks, MOST_TOGETHER - 1);
      tasks.remove(last);
      byVerb(tasks).values().forEach(this::serve);
      tasks.clear();
    }
    hangUp();
    queue.forEach(Line::refuse);
  }

  private static Map<Verb<?, ?>, List<Task<?, ?>>> byVerb(List<Task<?, ?>> tasks) {
    Map<Verb<?, ?>, List<Task<?, ?>>> groups = new LinkedHashMap<>();
    for (Task<?, ?> task : tasks) {
      groups.computeIfAbsent(task.verb(), unused -> new ArrayList<>()).add(task);
    }
    return groups;
  }

  @SuppressWarnings("unchecked") // Tasks are grouped by the verb that they were made with.
  private <Q, A> void serve(List<Task<?, ?>> group) {
    List<Task<Q, A>> tasks = new ArrayList<>(group.size());
    group.forEach(task -> tasks.add((Task<Q, A>) task));
    Connection open;
    try {
      open = connection == null ? ends.open() : connection;
      connection = open;
    } catch (SQLException unreachable) {
      trouble.broke(unreachable);
      Duration timeout = ends.ownTimeout();
      fail(tasks, task -> Failures.ofConnection(task.what(), unreachable, timeout));
      return;
    } catch (BackendException unfit) {
      fail(tasks, task -> unfit);
      return;
    }
    try {
      tasks.get(0).verb().carryOut(open, tasks);
      if (ends.isShared()) {
        connection = null;
        ends.giveBack(open);
      }
      trouble.served();
    } catch (SQLException failed) {
      Duration timeout = ends.ownTimeout();
      // Told before the failures are: whoever hears of one must not find its leases held.
      if (ends.isShared() || Failures.isBroken(failed)) {
        drop(open, failed);
      }
      fail(tasks, task -> Failures.of(task.what(), failed, timeout));
    } catch (RuntimeException failed) {
      drop(open, failed);
      fail(
          tasks,
          task -> BackendException.unknown(task.what() + ": " + Failures.reason(failed), failed));
    }
  }

  private void drop(Connection broken, Exception cause) {
    trouble.broke(cause);
    connection = null;
    ends.broken(broken);
  }

  private interface Cause<Q, A> {
    BackendException of(Task<Q, A> task);
  }

  private static <Q, A> void fail(List<Task<Q, A>> tasks, Cause<Q, A> cause) {
    for (Task<Q, A> task : tasks) {
      if (!task.answer().isDone()) {
        task.answer().completeExceptionally(cause.of(task));
      }
    }
  }

  private static void refuse(Task<?, ?> task) {
    task.answer()
        .completeExceptionally(
            BackendException.notApplied(task.what() + ": the backend is closed", null));
  }

  private void hangUp() {
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

  /** Ends the connection when what is under way has been answered. */
  @Override
  public void close() {
    closed = true;
    queue.add(last);
    if (Thread.currentThread() == thread || !thread.isAlive()) {
      return;
    }
    try {
      thread.join(5000);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
