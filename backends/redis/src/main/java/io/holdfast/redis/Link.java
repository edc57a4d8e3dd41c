// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made anew when it breaks. Not left to Lettuce, which would replay commands
 * whose fate is unknown, and for which a new connection is the old one: what we know of a server
 * (its clock, its subscriptions, whether it is a primary) holds for one connection only.
 *
 * <p>Whoever asks gets the connection; while one is being made, or is about to be made because the
 * last one broke, waits for it; in the pause after it could not be made, gets that failure.
 */
final class Link<L extends Link.Line> {
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  /** A connection that is ready for use. */
  interface Line {
    /** Where it leads to. */
    HostAndPort place();

    /** Which run of the server is at its other end, as far as it says so; blank if not known. */
    default String run() {
      return "";
    }

    void close();
  }

  /** Makes connections. */
  @FunctionalInterface
  interface Maker<L> {
    /**
     * Connects, and completes when the connection is ready for use, in bounded time.
     *
     * @param broken to be run when the connection breaks
     */
    CompletionStage<L> make(Runnable broken);
  }

  private final String what;
  private final BackendContext context;
  private final Maker<L> maker;
  private final Consumer<L> made;
  private volatile CompletableFuture<L> line = new CompletableFuture<>();
  private volatile boolean opened;
  private boolean closed;
  private int failures;
  private long madeNanos;

  /**
   * @param what what to call it in failures
   * @param made told of each connection when it is in use; may drop it
   */
  Link(String what, BackendContext context, Maker<L> maker, Consumer<L> made) {
    this.what = what;
    this.context = context;
    this.maker = maker;
    this.made = made;
  }

  /** The connection. */
  CompletableFuture<L> line() {
    if (opened) {
      return line;
    }
    CompletableFuture<L> current;
    boolean first;
    synchronized (this) {
      first = !opened && !closed;
      opened = true;
      current = line;
    }
    if (first) {
      connect(current);
    }
    return current;
  }

  private void connect(CompletableFuture<L> attempt) {
    CompletionStage<L> connecting;
    try {
      connecting = maker.make(() -> broken(attempt, null));
    } catch (Throwable failed) {
      connecting = CompletableFuture.failedFuture(failed);
    }
    Answers.handle(
        connecting,
        (ready, failure) -> {
          if (ready == null || failure != null) {
            BackendException problem = Failures.ofConnection("no connection to " + what, failure);
            attempt.completeExceptionally(problem);
            broken(attempt, problem);
          } else if (accept(attempt, ready)) {
            made.accept(ready);
          } else {
            ready.close();
          }
        });
  }

  private boolean accept(CompletableFuture<L> attempt, L ready) {
    synchronized (this) {
      if (closed || line != attempt) {
        return false;
      }
      madeNanos = context.now().monotonicNanos();
    }
    return attempt.complete(ready);
  }

  /** The connection, if there is one now. */
  Optional<L> peek() {
    CompletableFuture<L> current = current();
    return current.isDone() && !current.isCompletedExceptionally()
        ? Optional.of(current.join())
        : Optional.empty();
  }

  /** Gives up this connection, which does not answer or leads to the wrong server. */
  void drop(L bad) {
    CompletableFuture<L> current = current();
    if (peek().filter(known -> known == bad).isPresent()) {
      broken(current, null);
    }
  }

  /** Gives up the connection if there is one and it is not as it must be. */
  void dropUnless(Predicate<Line> isRight) {
    peek().filter(line -> !isRight.test(line)).ifPresent(this::drop);
  }

  private synchronized CompletableFuture<L> current() {
    return line;
  }

  private void broken(CompletableFuture<L> attempt, @Nullable BackendException problem) {
    long pause;
    synchronized (this) {
      if (closed || line != attempt) {
        return;
      }
      failures = hasLasted(attempt) ? 1 : failures + 1;
      line = problem == null ? new CompletableFuture<>() : CompletableFuture.failedFuture(problem);
      long longest = Math.min(LONGEST_PAUSE_MILLIS, 5L << Math.min(failures, 16));
      pause = longest / 2 + context.random().nextLong(longest / 2 + 1);
    }
    if (!attempt.completeExceptionally(
        BackendException.notApplied("the connection to " + what + " broke", null))) {
      Answers.handle(attempt, Link::closeIfMade);
    }
    context.after(Duration.ofMillis(pause), this::reconnect);
  }

  /**
   * Whether it was a good connection. One that breaks as soon as it is made, or leads to another
   * server than the rest, is as bad as none: it is not made anew without pause.
   */
  private boolean hasLasted(CompletableFuture<L> attempt) {
    long sinceNanos = context.now().monotonicNanos() - madeNanos;
    return attempt.isDone()
        && !attempt.isCompletedExceptionally()
        && sinceNanos > Duration.ofMillis(LONGEST_PAUSE_MILLIS).toNanos();
  }

  private void reconnect() {
    CompletableFuture<L> attempt;
    synchronized (this) {
      if (closed) {
        return;
      }
      if (line.isDone()) {
        line = new CompletableFuture<>();
      }
      attempt = line;
    }
    connect(attempt);
  }

  /**
   * Closes the connection, and makes no other.
   *
   * @param reason what those are told who wait for it, or ask for it from now on
   */
  void close(BackendException reason) {
    CompletableFuture<L> last;
    synchronized (this) {
      closed = true;
      last = line;
      line = CompletableFuture.failedFuture(reason);
    }
    Answers.handle(last, Link::closeIfMade);
    last.completeExceptionally(reason);
  }

  private static void closeIfMade(@Nullable Line ready, @Nullable Throwable failure) {
    if (ready != null) {
      ready.close();
    }
  }
}
