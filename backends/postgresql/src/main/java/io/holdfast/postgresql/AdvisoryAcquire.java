// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import io.holdfast.Origin;
import io.holdfast.postgresql.AdvisoryTable.Held;
import io.holdfast.postgresql.AdvisoryTable.Need;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquire in advisory mode, on the thread of the line: requests together, in one statement. */
final class AdvisoryAcquire {
  /** A waiter's row is seen by releases that begin after this; so it looks once more. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(30);

  private static final Duration LISTENING = Duration.ofSeconds(3);

  private final AdvisoryLocks locks;
  private final BackendContext context;
  private final AdvisoryTable table;
  private final AdvisorySession session;
  private final AdvisorySql sql;
  private final Supplier<@Nullable String> channel;

  AdvisoryAcquire(
      AdvisoryLocks locks,
      BackendContext context,
      AdvisoryTable table,
      AdvisorySession session,
      AdvisorySql sql,
      Supplier<@Nullable String> channel) {
    this.locks = locks;
    this.context = context;
    this.table = table;
    this.session = session;
    this.sql = sql;
    this.channel = channel;
  }

  /** Grants what the server grants; those of one lock one after the other. */
  void acquire(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<Line.Task<AcquireRequest, Acquisition>> rest = tasks;
    List<Line.Task<AcquireRequest, Acquisition>> repeated = new ArrayList<>();
    while (!rest.isEmpty()) {
      List<Line.Task<AcquireRequest, Acquisition>> now = new ArrayList<>();
      List<Line.Task<AcquireRequest, Acquisition>> later = new ArrayList<>();
      Set<Long> asked = new HashSet<>();
      for (Line.Task<AcquireRequest, Acquisition> task : rest) {
        Hold hold = task.request().hold();
        if (table.get(hold.holder()) != null) {
          repeated.add(task);
        } else if (locks.need(hold) == Need.NOTHING) {
          task.answer().complete(new Acquisition.Held(Duration.ZERO));
        } else {
          (asked.add(locks.key(hold)) ? now : later).add(task);
        }
      }
      ask(connection, now);
      rest = later;
    }
    if (!repeated.isEmpty()) {
      locks.probe(connection);
      repeated.forEach(this::grantAgain);
    }
  }

  private void grantAgain(Line.Task<AcquireRequest, Acquisition> task) {
    Held known = table.get(task.request().hold().holder());
    if (known == null) {
      task.answer().complete(new Acquisition.Held(Duration.ZERO));
      return;
    }
    table.extend(known, locks.nowNanos());
    task.answer()
        .complete(new Acquisition.Granted(known.token(), known.passes(), task.request().sent()));
  }

  private void ask(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      askTogether(connection, tasks);
    } catch (SQLException failed) {
      locks.reconcile(connection, failed);
      if (tasks.size() == 1 || !Failures.isFull(failed)) {
        throw failed;
      }
      askInTurn(connection, tasks);
    }
  }

  /** Those that fit are granted; once one does not, neither do those behind it. */
  private void askInTurn(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    for (Line.Task<AcquireRequest, Acquisition> task : tasks) {
      try {
        askTogether(connection, List.of(task));
      } catch (SQLException failed) {
        locks.reconcile(connection, failed);
        throw failed;
      }
    }
  }

  private void askTogether(
      Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<AcquireRequest> requests = tasks.stream().map(Line.Task::request).toList();
    Origin origin = context.origin();
    try (PreparedStatement statement = connection.prepareStatement(sql.acquire)) {
      new Columns<>(statement, requests)
          .prepared()
          .column("int8", request -> locks.key(request.hold()))
          .column("text", request -> request.hold().name())
          .column("text", request -> request.hold().holder().toString())
          .column("bool", request -> AdvisoryLocks.isShared(request.hold()))
          .column("bool", request -> locks.need(request.hold()) == Need.TOKEN)
          .column("int8", request -> LeaseAcquire.micros(request.hold().leaseTime()))
          .column("bool", request -> !request.patience().isZero())
          .column("int4", request -> Math.min(request.passes(), LeaseAcquire.MOST_PASSES))
          .column("text", AcquireRequest::purpose)
          .number(session.presence())
          .text(channel.get())
          .text(origin.process())
          .text(origin.host())
          .number(origin.pid())
          .text(origin.application());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          locks.requireSameSession(row.getInt(4));
          answer(tasks.get(row.getInt(1) - 1), row);
        }
      }
    }
    session.spoke();
  }

  private void answer(Line.Task<AcquireRequest, Acquisition> task, ResultSet row)
      throws SQLException {
    AcquireRequest request = task.request();
    Hold hold = request.hold();
    long token = row.getLong(2);
    if (!row.wasNull()) {
      int passes = Math.min(request.passes(), LeaseAcquire.MOST_PASSES);
      long until = locks.nowNanos() + hold.leaseTime().toNanos();
      table.add(new Held(hold, locks.key(hold), token, passes, until));
      task.answer().complete(new Acquisition.Granted(token, passes, request.sent()));
      return;
    }
    String other = row.getString(3);
    if (other != null) {
      task.answer()
          .completeExceptionally(
              BackendException.refused(
                  "'"
                      + hold.name()
                      + "' and '"
                      + other
                      + "', which is held, have the same 64-bit"
                      + " key: rename one of them, or use mode=lease",
                  null));
      return;
    }
    boolean isNew = !request.patience().isZero() && table.waits(hold.holder());
    Duration otherwise = channel.get() == null ? Duration.ZERO : LISTENING;
    task.answer().complete(new Acquisition.Held(isNew ? LOOK_AGAIN : otherwise));
  }
}
