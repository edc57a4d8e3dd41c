// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Finding;
import io.holdfast.spi.LockBackend;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks as rows of a table, each with an end.
 *
 * <p><b>Mechanism.</b> Whoever holds and whoever waits has a row. Each verb is one statement, which
 * lets one request at a time change a lock and goes by the database's time alone. A release serves
 * the queue from its head in the same statement, and tells the waiter by a message if it listens.
 *
 * <p><b>Guarantees.</b> One holder at a time while the database keeps what was committed and its
 * clock is not set. Waiters are served in order of arrival. See {@link PostgresGuarantees}.
 *
 * <p><b>What breaks it.</b> A fail-over to a standby that had not heard of the grant, a restored
 * backup, a clock that is set forward. Then two holders are possible, and the tokens tell them
 * apart unless they were lost too.
 *
 * <p><b>Cost.</b> One statement to acquire, one to release, none more to be handed the lock; one
 * for all renewals that are due. Concurrent requests share a statement and its commit. Two
 * connections and one that listens; behind a pooler nobody listens, and waiters ask.
 */
final class LeaseBackend implements LockBackend {
  private static final String LOOK =
      """
      SELECT name, holder, weight, capacity, token,
             (extract(epoch FROM until - statement_timestamp()) * 1000000)::bigint,
             (extract(epoch FROM statement_timestamp() - since) * 1000000)::bigint,
             process, host, pid, application, purpose
      FROM holdfast.lease
      WHERE state < 2 AND until > statement_timestamp() AND name IN (%s)
      ORDER BY name, state DESC, place, token
      """;
  private static final String NAMES =
      """
      SELECT DISTINCT name FROM holdfast.lease
      WHERE name >= ? AND starts_with(name, ?) AND state < 2 AND until > statement_timestamp()
      ORDER BY name LIMIT ?
      """;

  /** What nobody has asked for since is not going to be: its name may never be used again. */
  private static final String SWEEP =
      "DELETE FROM holdfast.lease WHERE until < clock_timestamp() - interval '1 minute'";

  private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);

  private final PostgresSettings settings;
  private final Connections connections;
  private volatile @Nullable Started started;

  private record Started(
      BackendContext context,
      Line requests,
      Line renewals,
      @Nullable Listener listener,
      Waits waits,
      LeaseAcquire acquire,
      Line.Verb<Hold, Boolean> release,
      Line.Verb<List<Hold>, List<Renewal>> renew,
      Line.Verb<LeaseVerbs.Force, Boolean> force,
      Line.Verb<Look.Request, List<LockState>> look) {}

  LeaseBackend(PostgresSettings settings, Connections connections) {
    this.settings = settings;
    this.connections = connections;
  }

  @Override
  public void start(BackendContext context) {
    Waits waits = new Waits(context);
    PooledEnds ends = new PooledEnds(connections, settings.timeout());
    Connection first = open(ends);
    ServerClock clock;
    boolean listens;
    try {
      Schema.require(first, settings);
      listens = settings.notifies() && Pooler.isDirect(first);
      clock = clock(first, context);
    } catch (SQLException failed) {
      ends.broken(first);
      throw Failures.ofConnection("cannot use " + connections, failed);
    } catch (RuntimeException unfit) {
      ends.broken(first);
      throw unfit;
    }
    Listener listener =
        listens ? new Listener(connections, settings, context, ear(context, waits)) : null;
    Started parts =
        new Started(
            context,
            new Line("holdfast-postgresql-requests", ends),
            new Line("holdfast-postgresql-renewals", ends),
            listener,
            waits,
            new LeaseAcquire(
                settings,
                context,
                clock,
                waits,
                () -> listener == null ? null : listener.channelIfListening()),
            LeaseVerbs.release(settings),
            LeaseVerbs.renew(settings),
            LeaseVerbs.forceRelease(settings),
            Look.verb(settings.sql(LOOK), settings.sql(NAMES)));
    parts.requests.start(first);
    parts.renewals.start(null);
    if (listener != null) {
      listener.start();
    }
    started = parts;
    sweep();
  }

  private Connection open(PooledEnds ends) {
    try {
      return ends.open();
    } catch (SQLException failed) {
      throw Failures.ofConnection("cannot use " + connections, failed);
    }
  }

  private static ServerClock clock(Connection connection, BackendContext context)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")) {
      row.next();
      return new ServerClock(row.getLong(1), context.now());
    }
  }

  private static Listener.Ear ear(BackendContext context, Waits waits) {
    return new Listener.Ear() {
      @Override
      public void heard(String word, String rest) {
        String[] words = rest.split(" ", -1);
        if (word.equals("granted")) {
          waits.granted(
              Listener.holder(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]));
        } else if (word.equals("forced")) {
          context.lost(Listener.holder(words[0]), LossCause.FORCED);
        }
      }

      @Override
      public void listening() {
        waits.retryAll();
      }
    };
  }

  private void sweep() {
    Started parts = started;
    if (parts == null) {
      return;
    }
    Line.Verb<String, Integer> sweep =
        (connection, tasks) -> {
          try (Statement statement = connection.createStatement()) {
            int swept = statement.executeUpdate(tasks.get(0).request());
            tasks.forEach(task -> task.answer().complete(swept));
          }
        };
    var unused = parts.renewals.ask(sweep, "sweep", settings.sql(SWEEP));
    parts.context.after(SWEEP_EVERY, this::sweep);
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
        parts.requests.ask(parts.acquire, "acquire of '" + hold.name() + "' failed", request));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    Started parts = parts();
    return parts.renewals.ask(parts.renew, "renewal of " + holds.size() + " failed", holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    Started parts = parts();
    parts.waits.waitsNoMore(hold.holder());
    return parts.requests.ask(parts.release, "release of '" + hold.name() + "' failed", hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    Started parts = parts();
    return parts
        .requests
        .ask(parts.look, "inspect of '" + name + "' failed", new Look.Request(name, 0))
        .thenApply(states -> states.isEmpty() ? LockState.free(name) : states.get(0));
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    Started parts = parts();
    return parts.requests.ask(
        parts.look, "list of '" + prefix + "' failed", new Look.Request(prefix, limit));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    Started parts = parts();
    return parts.requests.ask(
        parts.force,
        "force release of '" + name + "' failed",
        new LeaseVerbs.Force(name, token, reason));
  }

  @Override
  public Guarantees guarantees() {
    Started parts = started;
    boolean listens = parts == null ? settings.notifies() : parts.listener != null;
    return PostgresGuarantees.of(settings.withNotifications(listens));
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
    parts.requests.close();
    parts.renewals.close();
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
    return connections + " mode=lease";
  }
}
