// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.Guard;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StaleTokenException;
import java.io.Serial;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Makes a database refuse a holder that was paused past its lease, whatever the clocks did. Entered
 * with the lease's token as the first statement of a transaction, before anything is read:
 *
 * <pre>{@code
 * guard.in(dataSource).with(lease).call(connection -> …);
 * }</pre>
 *
 * <p>Three strengths. {@link #column}: the token is a column of the guarded row; no other table,
 * and any database. {@link #table}: a row of a table of its own; whatever is read and written in
 * the transaction is guarded. {@link #trigger}: the same, and the database refuses also whoever
 * writes to the guarded tables and presents no token.
 *
 * <p>From entering until the end of its transaction a holder keeps others out of the guard. One
 * that is paused there is ended by PostgreSQL when its transaction has been {@linkplain
 * #idleTimeout idle} for so long, 10 seconds unless told otherwise; other databases have settings
 * for that of their own.
 *
 * <p>Guards have no state and may be shared by threads.
 */
public final class FencingGuard {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final Fence fence;
  private final Duration idle;

  private FencingGuard(Fence fence, Duration idle) {
    this.fence = fence;
    this.idle = idle;
  }

  /**
   * The newest token is a column of the row that is guarded, and deleted with it: a row that is
   * inserted again begins with the token that the insert gives it. PostgreSQL, MariaDB, MySQL, H2.
   *
   * @param table the table, not a view
   * @param key the column that tells which row, and is unique
   * @param column where the token is: BIGINT, not null, 0 while the row was never guarded
   * @param row the value of the key
   */
  public static FencingGuard column(String table, String key, String column, Object row) {
    return new FencingGuard(new ColumnFence(table, key, column, row), IDLE);
  }

  /** The newest token of the resource is in the table {@code holdfast.fence}. PostgreSQL. */
  public static FencingGuard table(String resource) {
    return new FencingGuard(new TableFence(resource, false), IDLE);
  }

  /**
   * As {@link #table}, with triggers on the guarded tables, which {@link #triggerDdl} makes.
   * PostgreSQL.
   */
  public static FencingGuard trigger(String resource) {
    return new FencingGuard(new TableFence(resource, true), IDLE);
  }

  /**
   * The statements that put these tables behind the guard of a resource, with their partitions and
   * the tables that inherit from them. They may be repeated, and fail if a table is behind the
   * guard of another resource.
   */
  public static String triggerDdl(String resource, String... tables) {
    return TriggerDdl.of(resource, tables);
  }

  /** The statements that make what this guard needs, except triggers. */
  public String ddl() {
    return fence.ddl();
  }

  /** The same guard, with another time after which PostgreSQL ends a transaction that is idle. */
  public FencingGuard idleTimeout(Duration time) {
    if (time.toMillis() < 1) {
      throw new IllegalArgumentException("the idle time-out is at least a millisecond: " + time);
    }
    return new FencingGuard(fence, time);
  }

  /** To work in transactions of its own, on connections from here. */
  public GuardedTransactions in(DataSource dataSource) {
    return new GuardedTransactions(this, dataSource);
  }

  /**
   * Enters in a transaction of the caller, which must not have read anything yet, nor have a
   * savepoint to which it may be rolled back: that would undo the entry. If it throws, the
   * transaction is to be rolled back.
   *
   * @throws StaleTokenException if the resource has seen a newer token; the lease has been told
   * @throws LeaseLostException if the lease is known to be lost already
   * @throws IllegalArgumentException if the lease is not exclusive
   * @throws IllegalStateException if the connection commits each statement on its own; in
   *     PostgreSQL also if a savepoint is open
   * @throws SQLException if the database fails, there is no row or column that could keep the
   *     token, or the transaction's view of the data is known to be too old
   */
  public void enter(Connection connection, Lease lease) throws SQLException {
    try {
      raising(connection).enter(lease);
    } catch (Failed failed) {
      throw failed.problem;
    }
  }

  /** The same for whoever has the token of an exclusive lease only, and no lease to tell. */
  public void enter(Connection connection, FencingToken token) throws SQLException {
    try {
      raising(connection).raise(token);
    } catch (Failed failed) {
      throw failed.problem;
    }
  }

  private Guard raising(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the guard of '%s' needs a transaction: setAutoCommit(false) first"
              .formatted(fence.resource()));
    }
    return token -> {
      try {
        fence.raise(connection, token, idle);
      } catch (SQLException problem) {
        throw new Failed(problem);
      }
    };
  }

  @Override
  public String toString() {
    return "guard of '" + fence.resource() + "'";
  }

  private static final class Failed extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    private final transient SQLException problem;

    Failed(SQLException problem) {
      super(null, problem, false, false);
      this.problem = problem;
    }
  }
}
