// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Locks of a session of the server.
 *
 * <p><b>Mechanism.</b> All locks of this process are advisory locks of one session, and one
 * statement carries all requests that come together. The server is never waited in: whoever finds a
 * lock held leaves a row, is told by a message when it is released, and asks now and then. Who
 * holds what for which reason is in a table that is not logged.
 *
 * <p><b>Guarantees.</b> One holder at a time while the session lives. See {@link
 * PostgresGuarantees}.
 *
 * <p><b>What breaks it.</b> The end of the session: its locks are free at once, and the holder
 * hears of it by its next renewal. Whoever else uses advisory locks of this database with the same
 * numbers excludes us, and we them.
 *
 * <p><b>Cost.</b> One statement to acquire, one to release; one more to be woken; one for all
 * renewals. Two connections in all: one that holds and one that listens.
 */
final class AdvisoryBackend implements LockBackend {
  private static final Duration LONGEST_TICK = Duration.ofMillis(250);

  private final PostgresSettings settings;
  private final Connections connections;
  private final ToLongFunction<String> keys;
  private volatile @Nullable Started started;

  private record Started(
      BackendContext context,
      Line line,
      @Nullable Listener listener,
      Waits waits,
      Line.Verb<AcquireRequest, Acquisition> acquire,
      Line.Verb<List<Hold>, List<Renewal>> renew,
      Line.Verb<Hold, Boolean> release,
      Line.Verb<LeaseVerbs.Force, Boolean> force,
      Line.Verb<String, Long> sweep,
      Line.Verb<Look.Request, List<LockState>> look) {}

  AdvisoryBackend(PostgresSettings settings, Connections connections, ToLongFunction<String> keys) {
    this.settings = settings;
    this.connections = connections;
    this.keys = keys;
  }

  @Override
  public void start(BackendContext context) {
    AdvisoryTable table = new AdvisoryTable();
    AdvisoryLocks[] locks = new AdvisoryLocks[1];
    AdvisorySession session =
        new AdvisorySession(settings, connections, context, () -> locks[0].lost());
    Waits waits = new Waits(context);
    Listener listener =
        settings.notifies()
            ? new Listener(connections, settings, context, ear(context, waits))
            : null;
    locks[0] =
        new AdvisoryLocks(
            settings,
            context,
            table,
            session,
            keys,
            () -> listener == null ? null : listener.channelIfListening());
    Started parts = parts(context, locks[0], session, listener, waits);
    Connection opened;
    try {
      opened = session.open();
    } catch (SQLException failed) {
      throw Failures.ofConnection("cannot use " + connections, failed);
    }
    parts.line.start(opened);
    started = parts;
    if (listener != null) {
      listener.start();
    }
    tick(LONGEST_TICK.toNanos());
  }

  private Started parts(
      BackendContext context,
      AdvisoryLocks locks,
      AdvisorySession session,
      @Nullable Listener listener,
      Waits waits) {
    return new Started(
        context,
        new Line("holdfast-postgresql-session", session),
        listener,
        waits,
        locks.acquiring()::acquire,
        locks::renew,
        locks::release,
        (connection, tasks) -> {
          for (Line.Task<LeaseVerbs.Force, Boolean> task : tasks) {
            task.answer().complete(locks.forceRelease(connection, task.request()));
          }
        },
        (connection, tasks) -> {
          long shortest = locks.sweep(connection);
          tasks.forEach(task -> task.answer().complete(shortest));
        },
        Look.verb(AdvisorySql.look(settings), AdvisorySql.names(settings)));
  }

  private Listener.Ear ear(BackendContext context, Waits waits) {
    return new Listener.Ear() {
      @Override
      public void heard(String word, String rest) {
        if (word.equals("retry")) {
          context.retry(rest);
        } else if (word.equals("forced")) {
          sweepNow();
        }
      }

      @Override
      public void listening() {
        waits.retryAll();
      }
    };
  }

  /** Finds what was marked to be ended by force. */
  private void sweepNow() {
    Started parts = started;
    if (parts != null) {
      var unused = parts.line.ask(parts.renew, "a look at the session failed", List.of());
    }
  }

  /** Again and again: ends what has run out, and keeps the session from being silent for long. */
  private void tick(long delayNanos) {
    Started parts = started;
    if (parts != null) {
      parts.context.after(Duration.ofNanos(delayNanos), () -> sweep(parts));
    }
  }

  private void sweep(Started parts) {
    var unused =
        parts
            .line
            .ask(parts.sweep, "a look at the session failed", "")
            .whenComplete(
                (shortestNanos, failure) ->
                    tick(
                        failure == null
                            ? Math.min(LONGEST_TICK.toNanos(), shortestNanos / 20)
                            : pause(parts.context)));
  }

  /** With jitter: many clients do not come back to a server in step. */
  private static long pause(BackendContext context) {
    return Duration.ofMillis(250 + context.random().nextInt(1250)).toNanos();
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    Started parts = parts();
    Hold hold = request.hold();
    if (!request.patience().isZero()) {
      parts.waits.asks(hold.holder(), hold.name());
    }
    return parts.waits.watch(
        hold.holder(),
        parts.line.ask(parts.acquire, "acquire of '" + hold.name() + "' failed", request));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    Started parts = parts();
    return parts.line.ask(parts.renew, "renewal of " + holds.size() + " failed", holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Started parts = parts();
    parts.waits.waitsNoMore(hold.holder());
    return parts.line.ask(parts.release, "release of '" + hold.name() + "' failed", hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    Started parts = parts();
    return parts
        .line
        .ask(parts.look, "inspect of '" + name + "' failed", new Look.Request(name, 0))
        .thenApply(states -> states.isEmpty() ? LockState.free(name) : states.get(0));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    Started parts = parts();
    return parts.line.ask(
        parts.look, "list of '" + prefix + "' failed", new Look.Request(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Started parts = parts();
    return parts.line.ask(
        parts.force,
        "force release of '" + name + "' failed",
        new LeaseVerbs.Force(name, token, reason));
  }

  @Override
  public Guarantees guarantees() {
    return PostgresGuarantees.of(settings);
  }

  @Override
  public CompletionStage<List<Finding>> checkUp() {
    return CheckUp.of(connections, settings);
  }

  @Override
  public CompletionStage<OptionalLong> executedCommands() {
    return CheckUp.executedCommands(connections, settings);
  }

  @Override
  public String schema() {
    return Schema.script(settings.schema());
  }

  @Override
  public void close() {
    Started parts = started;
    started = null;
    if (parts == null) {
      return;
    }
    if (parts.listener != null) {
      parts.listener.close();
    }
    parts.line.close();
  }

  private Started parts() {
    Started parts = started;
    if (parts == null) {
      throw new IllegalStateException("the backend is not started, or closed");
    }
    return parts;
  }

  /** Where it is; no secret. */
  @Override
  public String toString() {
    return connections + " mode=advisory";
  }
}
