// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.postgresql.AdvisoryTable.Held;
import io.holdfast.postgresql.AdvisoryTable.Need;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of advisory mode, on the thread that serves the line.
 *
 * <p><b>An error is not the end.</b> Session locks are not rolled back: a statement that failed
 * half way, at a full lock table or at its time-out, may have been granted some of them. So after
 * each error the session is compared with what we know, and what nobody knows of is given back.
 */
final class AdvisoryLocks {
  private final PostgresSettings settings;
  private final BackendContext context;
  private final AdvisoryTable table;
  private final AdvisorySession session;
  private final AdvisorySql sql;
  private final ToLongFunction<String> keys;
  private final Supplier<@Nullable String> channel;
  private final AdvisoryRows rows;
  private boolean untidy;

  AdvisoryLocks(
      PostgresSettings settings,
      BackendContext context,
      AdvisoryTable table,
      AdvisorySession session,
      ToLongFunction<String> keys,
      Supplier<@Nullable String> channel) {
    this.settings = settings;
    this.context = context;
    this.table = table;
    this.session = session;
    this.sql = new AdvisorySql(settings);
    this.keys = keys;
    this.channel = channel;
    this.rows = new AdvisoryRows(context, table, session, sql, keys, channel);
  }

  AdvisoryRows rows() {
    return rows;
  }

  AdvisoryAcquire acquiring() {
    return new AdvisoryAcquire(this, context, table, session, sql, channel);
  }

  /** Ends holds and waits. */
  void release(Connection connection, List<Line.Task<Hold, Boolean>> tasks) throws SQLException {
    List<Hold> leaving = new ArrayList<>();
    List<Held> ended = new ArrayList<>();
    List<Line.Task<Hold, Boolean>> held = new ArrayList<>();
    for (Line.Task<Hold, Boolean> task : tasks) {
      Held known = table.remove(task.request().holder());
      boolean waited = table.waitsNoMore(task.request().holder());
      if (known != null) {
        ended.add(known);
        held.add(task);
      } else if (waited) {
        leaving.add(task.request());
      }
    }
    free(connection, ended, leaving);
    held.forEach(task -> task.answer().complete(true));
    tasks.forEach(task -> task.answer().complete(false));
  }

  /**
   * Gives the server's locks back, wakes those who wait elsewhere, and then those who wait here.
   */
  private void free(Connection connection, List<Held> ended, List<Hold> leaving)
      throws SQLException {
    try {
      unlock(connection, ended.stream().filter(one -> !one.hasRow()).toList());
      delete(connection, ended.stream().filter(Held::hasRow).toList(), leaving);
      wakeBehind(connection, leaving);
    } catch (SQLException failed) {
      // They are not ours any more, so that they are found among those nobody knows of.
      reconcile(connection, failed);
      untidy = true;
    }
    ended.forEach(one -> context.retry(one.hold().name()));
  }

  private void unlock(Connection connection, List<Held> ended) throws SQLException {
    if (ended.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql.unlock)) {
      new Columns<>(statement, ended)
          .prepared()
          .number(session.presence())
          .column("int8", Held::key);
      statement.executeQuery().close();
      session.spoke();
    }
  }

  private void delete(Connection connection, List<Held> ended, List<Hold> leaving)
      throws SQLException {
    if (ended.isEmpty() && leaving.isEmpty()) {
      return;
    }
    List<Leaving> all = new ArrayList<>();
    Set<Long> freed = new HashSet<>();
    for (Held one : ended) {
      // Of those that shared the lock the last gives it back, and once.
      boolean unlocks = !table.isInUse(one.key()) && freed.add(one.key());
      all.add(new Leaving(one.hold().holder().toString(), one.key(), one.isShared(), unlocks));
    }
    for (Hold one : leaving) {
      all.add(new Leaving(one.holder().toString(), key(one), false, false));
    }
    try (PreparedStatement statement = connection.prepareStatement(sql.release)) {
      new Columns<>(statement, all)
          .prepared()
          .column("int8", Leaving::key)
          .column("text", Leaving::holder)
          .column("bool", Leaving::isShared)
          .column("bool", Leaving::unlocks)
          .number(session.presence());
      statement.executeQuery().close();
      session.spoke();
    }
  }

  /** Those who share may stand behind a waiter that has left. */
  private void wakeBehind(Connection connection, List<Hold> leaving) throws SQLException {
    List<Hold> writers = leaving.stream().filter(one -> !isShared(one)).toList();
    if (!writers.isEmpty()) {
      try (PreparedStatement statement = connection.prepareStatement(sql.wake)) {
        new Columns<>(statement, writers)
            .prepared()
            .number(session.presence())
            .column("int8", this::key);
        statement.executeQuery().close();
      }
    }
  }

  private record Leaving(String holder, long key, boolean isShared, boolean unlocks) {}

  /** One round trip for all: while the session lives, all that it holds is held. */
  void renew(Connection connection, List<Line.Task<List<Hold>, List<Renewal>>> tasks)
      throws SQLException {
    probe(connection);
    for (Line.Task<List<Hold>, List<Renewal>> task : tasks) {
      task.answer().complete(task.request().stream().map(this::renewed).toList());
    }
  }

  private Renewal renewed(Hold hold) {
    Held known = table.get(hold.holder());
    if (known == null) {
      return table.wasForced(hold.holder()) ? Renewal.FORCED : Renewal.GONE;
    }
    table.extend(known, nowNanos());
    return Renewal.RENEWED;
  }

  /** Asks whether the session lives, and which of its holds are to be ended by force. */
  void probe(Connection connection) throws SQLException {
    List<Held> forced = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql.probe)) {
      new Columns<>(statement, List.of()).prepared().number(session.presence());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          requireSameSession(row.getInt(1));
          String holder = row.getString(2);
          Held known = holder == null ? null : table.remove(Listener.holder(holder));
          if (known != null) {
            forced.add(known);
          }
        }
      }
    }
    session.spoke();
    free(connection, forced, List.of());
    for (Held one : forced) {
      table.force(one);
      context.lost(one.hold().holder(), LossCause.FORCED);
    }
  }

  /** Ends what has run out, and speaks if nothing was said for long. Answers the shortest lease. */
  void sweep(Connection connection, List<Line.Task<String, Long>> tasks) throws SQLException {
    List<Held> expired = table.expired(nowNanos());
    expired.forEach(one -> table.remove(one.hold().holder()));
    free(connection, expired, List.of());
    rows.record(connection);
    rows.watch(connection);
    if (untidy) {
      tidyUp(connection);
    }
    long shortest = table.shortestNanos(settings.session().toNanos());
    if (nowNanos() - session.spokenNanos() > shortest / 4) {
      probe(connection);
    }
    tasks.forEach(task -> task.answer().complete(shortest));
  }

  /** Marks a hold as one to be ended by force, and tells its process. */
  boolean forceRelease(Connection connection, LeaseVerbs.Force force) throws SQLException {
    boolean found;
    try (PreparedStatement statement = connection.prepareStatement(sql.forceRelease)) {
      new Columns<>(statement, List.of())
          .text(force.reason())
          .text(force.name())
          .number(force.token())
          .number(session.presence());
      try (ResultSet row = statement.executeQuery()) {
        found = row.next();
      }
    }
    probe(connection); // It may be one of ours.
    return found;
  }

  /** The session is gone, and with it what it held. */
  void lost() {
    for (Held one : table.clear()) {
      context.lost(one.hold().holder(), LossCause.GONE);
    }
  }

  /**
   * After an error: gives back what was granted by the way. If not even that can be done, the
   * session is to end, and with it whatever it holds.
   */
  void reconcile(Connection connection, SQLException failed) throws SQLException {
    if (Failures.isBroken(failed)) {
      throw failed;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql.unlockStrays)) {
      statement.setLong(1, session.presence());
      statement.setArray(2, connection.createArrayOf("int8", table.keys().toArray()));
      statement.executeQuery().close();
    } catch (SQLException again) {
      failed.addSuppressed(again);
      throw new SQLException("the session cannot be looked into", "08006", failed);
    }
  }

  /** Rows whose deletion has failed tell of holds that are over. */
  private void tidyUp(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.tidyUp)) {
      statement.setLong(1, session.presence());
      statement.setArray(2, connection.createArrayOf("text", table.ids().toArray()));
      statement.executeUpdate();
      untidy = false;
    }
  }

  void requireSameSession(int pid) throws SQLException {
    if (pid != session.pid()) {
      throw new SQLException("the session has changed: is there a pooler in between?", "08006");
    }
  }

  Need need(Hold hold) {
    return table.need(key(hold), isShared(hold));
  }

  static boolean isShared(Hold hold) {
    return hold.mode() instanceof Mode.Shared;
  }

  long key(Hold hold) {
    return keys.applyAsLong(hold.name());
  }

  long nowNanos() {
    Moment now = context.now();
    return now.monotonicNanos();
  }
}
