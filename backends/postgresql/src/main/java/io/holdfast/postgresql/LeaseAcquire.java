// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquire, in lease mode. In the order of their mutexes, so that two clients do not deadlock. */
final class LeaseAcquire implements SecondLook.Request<AcquireRequest, Acquisition> {
  /** One less than the tokens that a grant takes. */
  static final int MOST_PASSES = 63;

  private static final String SQL =
      """
      SELECT asked.n, done.outcome, done.granted_token, done.granted_passes,
             (extract(epoch FROM done.recheck) * 1e6)::bigint, done.other_capacity,
             (extract(epoch FROM clock_timestamp()) * 1e6)::bigint
      FROM (SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY
              AS each(name, holder, weight, capacity, lease, patience, passes, purpose, n)
            ORDER BY hashtext(name), n OFFSET 0) AS asked
      CROSS JOIN LATERAL holdfast.lease_acquire(
        asked.name, asked.holder, asked.weight, asked.capacity,
        asked.lease::float8 * interval '1 microsecond', asked.patience::float8 * interval '1 microsecond',
        asked.passes, timestamptz 'epoch' + ?::float8 * interval '1 microsecond', ?, ?, ?, ?, ?,
        asked.purpose) AS done
      """;

  private final String sql;
  private final String sqlOrBusy;
  private final Duration timeout;
  private final BackendContext context;
  private final ServerClock clock;
  private final Waits waits;
  private final Supplier<@Nullable String> channel;

  LeaseAcquire(
      PostgresSettings settings,
      BackendContext context,
      ServerClock clock,
      Waits waits,
      Supplier<@Nullable String> channel) {
    this.sql = settings.sql(SQL);
    this.sqlOrBusy = settings.sql(SQL.replace("lease_acquire(", "lease_acquire_or_busy("));
    this.timeout = settings.timeout();
    this.context = context;
    this.clock = clock;
    this.waits = waits;
    this.channel = channel;
  }

  @Override
  public void send(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    send(connection, sql, tasks);
  }

  @Override
  public void sendOrBusy(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    send(connection, sqlOrBusy, tasks);
  }

  private void send(
      Connection connection,
      String statementSql,
      List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<AcquireRequest> requests = tasks.stream().map(Line.Task::request).toList();
    try (PreparedStatement statement = connection.prepareStatement(statementSql)) {
      Columns<AcquireRequest> columns = new Columns<>(statement, requests);
      Origin origin = context.origin();
      columns
          .column("text", request -> request.hold().name())
          .column("text", request -> request.hold().holder().toString())
          .column("int8", request -> Weights.weight(request.hold().mode()))
          .column("int8", request -> Weights.capacity(request.hold().mode()))
          .column("int8", request -> micros(request.hold().leaseTime()))
          .column("int8", request -> micros(request.patience()))
          .column("int4", request -> Math.min(request.passes(), MOST_PASSES))
          .column("text", AcquireRequest::purpose)
          .number(clock.deadlineMicros(context.now(), timeout))
          .text(channel.get())
          .text(origin.process())
          .text(origin.host())
          .number(origin.pid())
          .text(origin.application());
      try (ResultSet row = statement.executeQuery()) {
        Moment received = context.now();
        while (row.next()) {
          clock.read(row.getLong(7), received);
          answer(tasks.get(row.getInt(1) - 1), row);
        }
      }
    }
  }

  private void answer(Line.Task<AcquireRequest, Acquisition> task, ResultSet row)
      throws SQLException {
    AcquireRequest request = task.request();
    switch (row.getString(2)) {
      case "granted" -> {
        task.answer()
            .complete(new Acquisition.Granted(row.getLong(3), row.getInt(4), request.sent()));
      }
      case "held" -> {
        if (!request.patience().isZero()) {
          Hold hold = request.hold();
          waits.stands(hold.holder(), hold.name(), request.sent(), row.getLong(7));
        }
        long recheck = Math.max(0, row.getLong(5));
        task.answer().complete(new Acquisition.Held(Duration.ofNanos(recheck * 1000)));
      }
      case "busy" -> {}
      case "refused" ->
          task.answer().complete(new Acquisition.Refused(Weights.kind(row.getLong(6))));
      default ->
          task.answer()
              .completeExceptionally(
                  BackendException.notApplied(task.what() + ": it came to the server late", null));
    }
  }

  /** Rounded up: the store keeps a hold for no less than was asked for. */
  static long micros(Duration duration) {
    Duration century = Duration.ofDays(36_500);
    return ((duration.compareTo(century) > 0 ? century : duration).toNanos() + 999) / 1000;
  }
}
