// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Guarantees;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
final class LeaseBackend extends SqlBackend {
  private static final String LOOK =
      """
      SELECT name, holder, weight, capacity, token,
             (extract(epoch FROM until - statement_timestamp()) * 1e6)::bigint,
             (extract(epoch FROM statement_timestamp() - since) * 1e6)::bigint,
             process, host, pid, application, purpose
      FROM holdfast.lease
      WHERE state < 2 AND until > statement_timestamp() AND name IN (%s)
      ORDER BY name, state DESC, place, token
      """;
  private static final String NAMES =
      """
      SELECT DISTINCT name FROM holdfast.lease
      WHERE name >= ?::text AND starts_with(name, ?::text) AND state < 2 AND until > statement_timestamp()
      ORDER BY name LIMIT ?
      """;

  /** What nobody has asked for since is not going to be: its name may never be used again. */
  private static final String SWEEP = "SELECT holdfast.lease_sweep(%d)";

  private static final int SWEPT_TOGETHER = 1000;
  private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);

  LeaseBackend(PostgresSettings settings, Connections connections) {
    super(settings, connections);
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
      throw Failures.ofConnection("cannot use " + connections, failed, null);
    } catch (RuntimeException unfit) {
      ends.broken(first);
      throw unfit;
    }
    Listener listener =
        listens ? new Listener(connections, settings, context, ear(context, waits)) : null;
    ConnectionTrouble trouble = new ConnectionTrouble(connections.toString(), context);
    Line renewals = new Line("holdfast-postgresql-renewals", ends, trouble);
    renewals.start(null);
    Line.Verb<List<Hold>, List<Renewal>> renew = LeaseVerbs.renew(settings);
    LeaseAcquire acquire =
        new LeaseAcquire(
            settings,
            context,
            clock,
            waits,
            () -> listener == null ? null : listener.channelIfListening());
    List<Verbs> lanes = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      Line requests = new Line("holdfast-postgresql-requests-" + lane, ends, trouble);
      requests.start(lane == 0 ? first : null);
      SecondLook.Looks looks = new SecondLook.Looks(requests, context, settings.timeout());
      lanes.add(
          new Verbs(
              context,
              requests,
              renewals,
              listener,
              waits,
              new SecondLook<>(looks, true, request -> request.hold().name(), acquire),
              renew,
              new SecondLook<>(looks, false, Hold::name, LeaseVerbs.release(settings)),
              LeaseVerbs.forceRelease(settings),
              Look.verb(settings.sql(LOOK), settings.sql(NAMES))));
    }
    serve(lanes);
    sweep(context);
  }

  private Connection open(PooledEnds ends) {
    try {
      return ends.open();
    } catch (SQLException failed) {
      throw Failures.ofConnection("cannot use " + connections, failed, null);
    }
  }

  private static ServerClock clock(Connection connection, BackendContext context)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint")) {
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
              Listener.holder(words[0]),
              Long.parseLong(words[1]),
              Integer.parseInt(words[2]),
              Long.parseLong(words[3]));
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

  private void sweep(BackendContext context) {
    List<Verbs> open = lanes();
    if (open.isEmpty()) {
      return;
    }
    Line.Verb<String, Integer> sweep =
        (connection, tasks) -> {
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery(tasks.get(0).request())) {
            row.next();
            int swept = row.getInt(1);
            tasks.forEach(task -> task.answer().complete(swept));
          }
        };
    String sql = settings.sql(SWEEP).formatted(SWEPT_TOGETHER);
    var unused =
        open.get(0)
            .renewals()
            .ask(sweep, "sweep", sql)
            .whenComplete(
                (swept, failure) -> {
                  boolean isDone = failure != null || swept < SWEPT_TOGETHER;
                  context.after(isDone ? SWEEP_EVERY : Duration.ofSeconds(1), () -> sweep(context));
                });
  }

  @Override
  public Guarantees guarantees() {
    List<Verbs> open = lanes();
    boolean listens = open.isEmpty() ? settings.notifies() : open.get(0).listener() != null;
    return PostgresGuarantees.of(settings.withNotifications(listens));
  }
}
