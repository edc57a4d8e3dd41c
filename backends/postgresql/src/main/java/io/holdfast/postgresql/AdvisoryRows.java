// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.Origin;
import io.holdfast.postgresql.AdvisoryTable.Held;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the table tells others of the holds of a session, and what it tells us of theirs.
 *
 * <p>A lock is taken without a row, because most are given back at once. Whoever looks waits until
 * those that it finds in the server's lock table have theirs.
 */
final class AdvisoryRows {
  /** How long a waiter may not know that the holder's session has died. */
  private static final long WATCH_NANOS = Duration.ofMillis(500).toNanos();

  private final BackendContext context;
  private final AdvisoryTable table;
  private final AdvisorySession session;
  private final AdvisorySql sql;
  private final ToLongFunction<String> keys;
  private final Supplier<@Nullable String> channel;
  private long watchedNanos;

  AdvisoryRows(
      BackendContext context,
      AdvisoryTable table,
      AdvisorySession session,
      AdvisorySql sql,
      ToLongFunction<String> keys,
      Supplier<@Nullable String> channel) {
    this.context = context;
    this.table = table;
    this.session = session;
    this.sql = sql;
    this.keys = keys;
    this.channel = channel;
  }

  /** Writes down who holds what was taken without a row. */
  void record(Connection connection) throws SQLException {
    List<Held> unrecorded = table.unrecorded();
    if (unrecorded.isEmpty()) {
      return;
    }
    long nowNanos = nowNanos();
    Origin origin = context.origin();
    try (PreparedStatement statement = connection.prepareStatement(sql.record)) {
      new Columns<>(statement, unrecorded)
          .number(session.presence())
          .text(channel.get())
          .text(origin.process())
          .text(origin.host())
          .number(origin.pid())
          .text(origin.application())
          .column("int8", Held::key)
          .column("text", one -> one.hold().name())
          .column("text", one -> one.hold().holder().toString())
          .column("int8", Held::token)
          .column("int4", Held::passes)
          .column("int8", one -> (nowNanos - one.sinceNanos()) / 1000)
          .column("int8", one -> LeaseAcquire.micros(one.hold().leaseTime()))
          .column("text", Held::purpose);
      statement.executeUpdate();
      session.spoke();
    }
    table.recorded(unrecorded);
  }

  /** Nobody tells waiters that a session has died: those whose holder has ask again. */
  void watch(Connection connection) throws SQLException {
    List<Hold> waiting = List.copyOf(table.waiting());
    if (waiting.isEmpty() || nowNanos() - watchedNanos < WATCH_NANOS) {
      return;
    }
    watchedNanos = nowNanos();
    try (PreparedStatement statement = connection.prepareStatement(sql.abandoned)) {
      new Columns<>(statement, waiting)
          .prepared()
          .column("int8", hold -> keys.applyAsLong(hold.name()))
          .number(session.presence());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          context.retry(waiting.get(row.getInt(1) - 1).name());
        }
      }
    }
    session.spoke();
  }

  /** How many locks have no row yet, of all processes; those of this session have one then. */
  long unrecorded(Connection connection, String name) throws SQLException {
    record(connection);
    try (PreparedStatement statement = connection.prepareStatement(sql.unrecorded)) {
      statement.setLong(1, keys.applyAsLong(name));
      statement.setBoolean(2, name.isEmpty());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  private long nowNanos() {
    return context.now().monotonicNanos();
  }
}
