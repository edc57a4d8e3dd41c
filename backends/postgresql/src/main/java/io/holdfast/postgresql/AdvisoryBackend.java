// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.spi.BackendContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Locks of a session of the server.
 *
 * <p><b>Mechanism.</b> The locks of this process are advisory locks of a few sessions, by their
 * names, and one statement carries all requests of a session that come together. The server is
 * never waited in: whoever finds a lock held leaves a row, is told by a message when it is
 * released, and asks now and then. Who holds what for which reason is in a table that is not
 * logged; an exclusive lock is written down there when it has been held for a moment.
 *
 * <p><b>Guarantees.</b> One holder at a time while the session lives. See {@link
 * PostgresGuarantees}.
 *
 * <p><b>What breaks it.</b> The end of the session: its locks are free at once, and the holder
 * hears of it by its next renewal. Whoever else uses advisory locks of this database with the same
 * numbers excludes us, and we them.
 *
 * <p><b>Cost.</b> One statement to acquire, one to release; one more to be woken; one for all
 * renewals of a session. Five connections at most: those that hold and one that listens.
 */
final class AdvisoryBackend extends SqlBackend {
  private static final Duration LONGEST_TICK = Duration.ofMillis(250);

  private final ToLongFunction<String> keys;

  /** How long to wait until a lock that was taken a moment ago has its row. */
  private static final Duration ROW_PAUSE = Duration.ofMillis(50);

  private static final int ROW_TRIES = 12;

  /**
   * One of the sessions.
   *
   * @param sweep answers the shortest lease time
   * @param unrecorded answers how many locks of this name have no row yet; without a name, of all
   */
  private record Lane(
      BackendContext context,
      AdvisorySession session,
      Line line,
      Line.Verb<String, Long> sweep,
      Line.Verb<String, Long> unrecorded) {}

  private volatile List<Lane> sessions = List.of();

  AdvisoryBackend(PostgresSettings settings, Connections connections, ToLongFunction<String> keys) {
    super(settings, connections);
    this.keys = keys;
  }

  @Override
  public void start(BackendContext context) {
    Waits waits = new Waits(context);
    Listener listener =
        settings.notifies()
            ? new Listener(connections, settings, context, ear(context, waits))
            : null;
    ConnectionTrouble trouble = new ConnectionTrouble(connections.toString(), context);
    List<Verbs> lanes = new ArrayList<>();
    List<Lane> begun = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      AdvisoryLocks[] locks = new AdvisoryLocks[1];
      AdvisorySession session =
          new AdvisorySession(settings, connections, context, () -> locks[0].lost());
      locks[0] =
          new AdvisoryLocks(
              settings,
              context,
              new AdvisoryTable(),
              session,
              keys,
              () -> listener == null ? null : listener.channelIfListening());
      Line line = new Line("holdfast-postgresql-session-" + lane, session, trouble);
      line.start(lane == 0 ? open(session) : null);
      lanes.add(verbs(context, line, locks[0], listener, waits));
      begun.add(new Lane(context, session, line, locks[0]::sweep, unrecorded(locks[0].rows())));
    }
    sessions = List.copyOf(begun);
    serve(lanes);
    begun.forEach(lane -> tick(lane, LONGEST_TICK.toNanos()));
  }

  private Connection open(AdvisorySession session) {
    try {
      return session.open();
    } catch (SQLException failed) {
      throw Failures.ofConnection("cannot use " + connections, failed, session.ownTimeout());
    }
  }

  private Verbs verbs(
      BackendContext context,
      Line line,
      AdvisoryLocks locks,
      @Nullable Listener listener,
      Waits waits) {
    return new Verbs(
        context,
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
    List<Verbs> open = lanes();
    for (int lane = 0; lane < open.size(); lane++) {
      if (sessions.get(lane).session.hasBegun()) {
        Verbs verbs = open.get(lane);
        var unused = verbs.requests().ask(verbs.renew(), "a look at the session failed", List.of());
      }
    }
  }

  private static Line.Verb<String, Long> unrecorded(AdvisoryRows rows) {
    return (connection, tasks) -> {
      for (Line.Task<String, Long> task : tasks) {
        task.answer().complete(rows.unrecorded(connection, task.request()));
      }
    };
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return recorded(name, name, ROW_TRIES)
        .thenCompose(unknown -> super.inspect(name).thenApply(state -> with(unknown, state)));
  }

  /** A process that was stopped as soon as it had the lock has not written down who it is. */
  private LockState with(long unknown, LockState state) {
    if (unknown == 0 || !state.holders().isEmpty()) {
      return state;
    }
    LockState.Holding holding =
        new LockState.Holding(
            "unknown",
            Mode.EXCLUSIVE,
            Optional.empty(),
            settings.session(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    return new LockState(state.name(), List.of(holding), state.waiters());
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return recorded(prefix, "", ROW_TRIES).thenCompose(unused -> super.list(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return recorded(name, name, ROW_TRIES)
        .thenCompose(unused -> super.forceRelease(name, token, reason));
  }

  /**
   * Waits until locks that were taken a moment ago have their rows, and no longer than it takes
   * every session to write them: others may be taken meanwhile, again and again.
   *
   * @return how many have none
   */
  private CompletionStage<Long> recorded(String asked, String name, int tries) {
    Object line = lane(asked);
    Lane lane = sessions.stream().filter(each -> each.line == line).findFirst().orElseThrow();
    return lane.line
        .ask(lane.unrecorded, "a look at '" + asked + "' failed", name)
        .thenCompose(
            count ->
                count == 0 || tries == 0
                    ? CompletableFuture.completedFuture(count)
                    : pause(lane.context).thenCompose(unused -> recorded(asked, name, tries - 1)));
  }

  private static CompletionStage<Boolean> pause(BackendContext context) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    context.after(ROW_PAUSE, () -> over.complete(true));
    return over;
  }

  /** Again and again: ends what has run out, and keeps the session from being silent for long. */
  private void tick(Lane lane, long delayNanos) {
    if (!lanes().isEmpty()) {
      lane.context.after(Duration.ofNanos(delayNanos), () -> sweep(lane));
    }
  }

  private void sweep(Lane lane) {
    if (!lane.session.hasBegun()) {
      tick(lane, LONGEST_TICK.toNanos());
      return;
    }
    var unused =
        lane.line
            .ask(lane.sweep, "a look at the session failed", "")
            .whenComplete(
                (shortestNanos, failure) ->
                    tick(
                        lane,
                        failure == null
                            ? Math.min(LONGEST_TICK.toNanos(), shortestNanos / 20)
                            : afterFailureNanos(lane.context)));
  }

  /** With jitter: many clients do not come back to a server in step. */
  private static long afterFailureNanos(BackendContext context) {
    return Duration.ofMillis(250 + context.random().nextInt(1250)).toNanos();
  }

  @Override
  public Guarantees guarantees() {
    return PostgresGuarantees.of(settings);
  }
}
