// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.spi.BackendContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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
final class AdvisoryBackend extends SqlBackend {
  private static final Duration LONGEST_TICK = Duration.ofMillis(250);

  private final ToLongFunction<String> keys;

  private record Sweep(BackendContext context, Line line, Line.Verb<String, Long> verb) {}

  AdvisoryBackend(PostgresSettings settings, Connections connections, ToLongFunction<String> keys) {
    super(settings, connections);
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
    Line line =
        new Line(
            "holdfast-postgresql-session",
            session,
            new ConnectionTrouble(connections.toString(), context));
    Connection opened;
    try {
      opened = session.open();
    } catch (SQLException failed) {
      throw Failures.ofConnection("cannot use " + connections, failed, session.ownTimeout());
    }
    line.start(opened);
    serve(verbs(line, locks[0], listener, waits));
    tick(new Sweep(context, line, locks[0]::sweep), LONGEST_TICK.toNanos());
  }

  private Verbs verbs(Line line, AdvisoryLocks locks, @Nullable Listener listener, Waits waits) {
    return new Verbs(
        line,
        line,
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
    Verbs verbs = verbsIfOpen();
    if (verbs != null) {
      var unused = verbs.requests().ask(verbs.renew(), "a look at the session failed", List.of());
    }
  }

  /** Again and again: ends what has run out, and keeps the session from being silent for long. */
  private void tick(Sweep sweep, long delayNanos) {
    if (verbsIfOpen() != null) {
      sweep.context.after(Duration.ofNanos(delayNanos), () -> sweep(sweep));
    }
  }

  private void sweep(Sweep sweep) {
    var unused =
        sweep
            .line
            .ask(sweep.verb, "a look at the session failed", "")
            .whenComplete(
                (shortestNanos, failure) ->
                    tick(
                        sweep,
                        failure == null
                            ? Math.min(LONGEST_TICK.toNanos(), shortestNanos / 20)
                            : pause(sweep.context)));
  }

  /** With jitter: many clients do not come back to a server in step. */
  private static long pause(BackendContext context) {
    return Duration.ofMillis(250 + context.random().nextInt(1250)).toNanos();
  }

  @Override
  public Guarantees guarantees() {
    return PostgresGuarantees.of(settings);
  }
}
