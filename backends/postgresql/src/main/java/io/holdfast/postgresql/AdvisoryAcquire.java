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

/**
 * Acquire in advisory mode, on the thread that serves the line: requests together, in one
 * statement.
 */
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
        } else if (isVain(task.request())) {
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

  /** Whether the server need not be asked: somebody of this process is in the way. */
  private boolean isVain(AcquireRequest request) {
    Hold hold = request.hold();
    boolean hasPlace = request.patience().isZero() || table.isWaiting(hold.holder());
    Need need = locks.need(hold);
    return need == Need.NOTHING || (need == Need.PLACE && hasPlace);
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

  /** Takes what is free; whoever waits for the rest, or is one of those who share, leaves a row. */
  private void ask(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<Line.Task<AcquireRequest, Acquisition>> first = new ArrayList<>();
    List<Line.Task<AcquireRequest, Acquisition>> withRow = new ArrayList<>();
    for (Line.Task<AcquireRequest, Acquisition> task : tasks) {
      Hold hold = task.request().hold();
      boolean isFirst =
          !AdvisoryLocks.isShared(hold)
              && locks.need(hold) == Need.LOCK
              && !table.isWaiting(hold.holder());
      (isFirst ? first : withRow).add(task);
    }
    askSafely(connection, first, this::take);
    for (Line.Task<AcquireRequest, Acquisition> task : first) {
      if (!task.answer().isDone()) {
        withRow.add(task);
      }
    }
    askSafely(connection, withRow, this::askTogether);
  }

  private interface Asking {
    void ask(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
        throws SQLException;
  }

  private void askSafely(
      Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks, Asking asking)
      throws SQLException {
    if (tasks.isEmpty()) {
      return;
    }
    try {
      asking.ask(connection, tasks);
    } catch (SQLException failed) {
      locks.reconcile(connection, failed);
      if (tasks.size() == 1 || !Failures.isFull(failed)) {
        throw failed;
      }
      // Those that fit are granted; once one does not, neither do those behind it.
      for (Line.Task<AcquireRequest, Acquisition> task : tasks) {
        askSafely(connection, List.of(task), asking);
      }
    }
  }

  /** Leaves those unanswered that are to wait. */
  private void take(Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<AcquireRequest> requests = tasks.stream().map(Line.Task::request).toList();
    try (PreparedStatement statement = connection.prepareStatement(sql.take)) {
      new Columns<>(statement, requests)
          .prepared()
          .column("int8", request -> locks.key(request.hold()))
          .column("text", request -> request.hold().name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          locks.requireSameSession(row.getInt(4));
          Line.Task<AcquireRequest, Acquisition> task = tasks.get(row.getInt(1) - 1);
          boolean isFree = row.getObject(2) != null;
          if (isFree || row.getString(3) != null || task.request().patience().isZero()) {
            answer(task, row, false);
          }
        }
      }
    }
    session.spoke();
  }

  private void askTogether(
      Connection connection, List<Line.Task<AcquireRequest, Acquisition>> tasks)
      throws SQLException {
    List<AcquireRequest> requests = tasks.stream().map(Line.Task::request).toList();
    Origin origin = context.origin();
    try (PreparedStatement statement = connection.prepareStatement(sql.acquire)) {
      new Columns<>(statement, requests)
          .prepared()
          .number(session.presence())
          .column("int8", request -> locks.key(request.hold()))
          .column("text", request -> request.hold().name())
          .column("text", request -> request.hold().holder().toString())
          .column("bool", request -> AdvisoryLocks.isShared(request.hold()))
          .column("bool", request -> locks.need(request.hold()) == Need.TOKEN)
          .column("bool", request -> locks.need(request.hold()) == Need.PLACE)
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
          answer(tasks.get(row.getInt(1) - 1), row, true);
        }
      }
    }
    session.spoke();
  }

  private void answer(Line.Task<AcquireRequest, Acquisition> task, ResultSet row, boolean hasRow)
      throws SQLException {
    AcquireRequest request = task.request();
    Hold hold = request.hold();
    long token = row.getLong(2);
    if (!row.wasNull()) {
      int passes = Math.min(request.passes(), LeaseAcquire.MOST_PASSES);
      long now = locks.nowNanos();
      long until = now + hold.leaseTime().toNanos();
      table.add(
          new Held(hold, locks.key(hold), token, passes, request.purpose(), now, until, hasRow));
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
    boolean isNew = !request.patience().isZero() && table.waits(hold);
    Duration otherwise = channel.get() == null ? Duration.ZERO : LISTENING;
    task.answer().complete(new Acquisition.Held(isNew ? LOOK_AGAIN : otherwise));
  }
}
