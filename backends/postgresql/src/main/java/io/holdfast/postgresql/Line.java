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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One connection, and who speaks on it. What is asked while a statement is under way is combined:
 * all requests of one verb go in the next statement. So a thousand callers cost no thread, and one
 * connection does the work of many.
 *
 * <p>Whoever finds the line free serves all that is queued. A caller that waits for its answer does
 * that on its own thread, and is woken by the server and by nothing else; for the others there is
 * the line's thread. When the line becomes free, the one whose task is first in the queue is woken,
 * but it may be overtaken by another, which then takes that task along.
 */
final class Line implements AutoCloseable {
  private static final int MOST_TOGETHER = 256;
  private static final long CLOSING_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What a statement does for a number of requests. */
  interface Verb<Q, A> {
    /** Answers the tasks; those it leaves unanswered fail with what it throws. */
    void carryOut(Connection connection, List<Task<Q, A>> tasks) throws SQLException;

    /** Whether a second time does no harm, and is answered as the first would have been. */
    default boolean isRepeatable() {
      return false;
    }
  }

  /** One request, and its answer. */
  static final class Task<Q, A> {
    private final Verb<Q, A> verb;
    private final String what;
    private final Q request;
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    /** Who serves the queue when this task is the first in it, and sleeps until it is answered. */
    private volatile Thread waiter;

    Task(Verb<Q, A> verb, String what, Q request, Thread waiter) {
      this.verb = verb;
      this.what = what;
      this.request = request;
      this.waiter = waiter;
    }

    Verb<Q, A> verb() {
      return verb;
    }

    String what() {
      return what;
    }

    Q request() {
      return request;
    }

    CompletableFuture<A> answer() {
      return answer;
    }
  }

  /** Where the connection comes from, and who is told that it is gone. */
  interface Ends {
    Connection open() throws SQLException;

    /** After a use, or when the line is closed. */
    void giveBack(Connection connection) throws SQLException;

    /** The connection broke: whatever its session held is gone. */
    void broken(Connection connection);

    /** Whether the connection is given back after each use. */
    boolean isShared();

    /** Whether a connection that was not used for so long still leads to the server. */
    default boolean isAlive(Connection connection, Duration idle) {
      return true;
    }

    /** The time-out that this backend has set for a statement; null: the role's or the server's. */
    @Nullable Duration ownTimeout();
  }

  private final ConnectionTrouble trouble;
  private final Thread thread;
  private final Queue<Task<?, ?>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean closed;

  /** Used by whoever has made the line busy. */
  private final LineConnection connection;

  Line(String name, Ends ends, ConnectionTrouble trouble) {
    this.connection = new LineConnection(ends, trouble);
    this.trouble = trouble;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /** Begins, with a connection that is open already if there is one. */
  void start(@Nullable Connection opened) {
    connection.use(opened);
    thread.start();
  }

  /** Asks, and does not block; what for is said in case it fails. */
  <Q, A> CompletionStage<A> ask(Verb<Q, A> verb, String what, Q request) {
    Task<Q, A> task = new Task<>(verb, what, request, thread);
    add(task);
    if (!busy.get()) {
      LockSupport.unpark(thread);
    }
    return task.answer();
  }

  /**
   * Asks, and serves the line until the answer is there; returns without it if the thread is
   * interrupted or has waited for others for so long. Connections are made by the line's thread,
   * which may take long.
   */
  <Q, A> CompletionStage<A> askAndServe(Verb<Q, A> verb, String what, Q request, Duration longest) {
    if (!connection.isReady()) {
      return ask(verb, what, request);
    }
    Task<Q, A> task = new Task<>(verb, what, request, Thread.currentThread());
    add(task);
    long endNanos = trouble.nowNanos() + longest.toNanos();
    while (!task.answer().isDone()) {
      if (!queue.isEmpty() && serveIfFree()) {
        continue;
      }
      long leftNanos = endNanos - trouble.nowNanos();
      if (leftNanos <= 0 || Thread.currentThread().isInterrupted()) {
        task.waiter = thread;
        LockSupport.unpark(thread);
        break;
      }
      LockSupport.parkNanos(this, leftNanos);
    }
    return task.answer();
  }

  private void add(Task<?, ?> task) {
    queue.add(task);
    if (closed) {
      refuse(task);
    }
  }

  private void run() {
    while (!closed) {
      if (queue.isEmpty() || !serveIfFree()) {
        LockSupport.park(this);
      }
    }
    while (!busy.compareAndSet(false, true)) {
      LockSupport.parkNanos(this, CLOSING_NANOS);
    }
    connection.hangUp();
    queue.forEach(Line::refuse);
  }

  /** Serves what is queued; false if another thread is about to. */
  private boolean serveIfFree() {
    if (!busy.compareAndSet(false, true)) {
      return false;
    }
    boolean hasServed = false;
    try {
      List<Task<?, ?>> tasks = new ArrayList<>();
      while (tasks.size() < MOST_TOGETHER && !queue.isEmpty()) {
        tasks.add(queue.remove());
      }
      for (List<Task<?, ?>> group : byVerb(tasks).values()) {
        if (mayServe()) {
          serve(group);
          hasServed = true;
        } else {
          queue.addAll(group);
        }
      }
    } finally {
      busy.set(false);
      // Whoever came too late to be served has seen that the line was busy before this.
      Task<?, ?> first = queue.peek();
      if (first != null) {
        LockSupport.unpark(connection.isReady() ? first.waiter : thread);
      }
    }
    return hasServed;
  }

  /**
   * To a server that is silent, each statement would have its own connection made, and a caller is
   * not to wait for them all.
   */
  private boolean mayServe() {
    return Thread.currentThread() == thread || connection.isReady();
  }

  private static Map<Verb<?, ?>, List<Task<?, ?>>> byVerb(List<Task<?, ?>> tasks) {
    Map<Verb<?, ?>, List<Task<?, ?>>> groups = new LinkedHashMap<>();
    for (Task<?, ?> task : tasks) {
      groups.computeIfAbsent(task.verb, unused -> new ArrayList<>()).add(task);
    }
    return groups;
  }

  @SuppressWarnings("unchecked") // Tasks are grouped by the verb that they were made with.
  private <Q, A> void serve(List<Task<?, ?>> group) {
    List<Task<Q, A>> tasks = new ArrayList<>(group.size());
    group.forEach(task -> tasks.add((Task<Q, A>) task));
    connection.carryOut(tasks);
    tasks.forEach(this::wake);
  }

  /** Wakes the thread that waits for this: now, or when a verb that left it for later answers. */
  private void wake(Task<?, ?> task) {
    if (!task.answer().isDone()) {
      var unused = task.answer().whenComplete((answer, failure) -> LockSupport.unpark(task.waiter));
    } else if (task.waiter != thread && task.waiter != Thread.currentThread()) {
      LockSupport.unpark(task.waiter);
    }
  }

  private static void refuse(Task<?, ?> task) {
    task.answer()
        .completeExceptionally(
            BackendException.notApplied(task.what() + ": the backend is closed", null));
    LockSupport.unpark(task.waiter);
  }

  /** From now on refuses; ends the connection when what is under way has been answered. */
  void end() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** The same, and waits for that. */
  @Override
  public void close() {
    end();
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
