// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.BackendException;
import io.holdfast.LockTimeoutException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A lock that is held by a transaction of the caller's own, on the caller's own connection, until
 * that transaction commits or is rolled back. Lock and data share one fate: there is no lease that
 * could run out, no renewal, and no moment in which the one is lost and the other is kept. For work
 * whose data is in this database it is the strongest form there is; it needs no schema, and works
 * behind a transaction pooler.
 *
 * <p>It is the same lock as that of {@code mode=advisory} with this name: they exclude each other.
 *
 * <p>Take it first in the transaction, under READ COMMITTED. What a transaction read before it had
 * the lock may be old; and under REPEATABLE READ and SERIALIZABLE a statement's view of the data is
 * older than the lock that it gets, so that those are refused.
 *
 * <p>Take it before any savepoint. {@code ROLLBACK TO SAVEPOINT} frees a lock that was taken after
 * the savepoint, while the transaction goes on: so does the rollback of a nested transaction of
 * Spring. {@link #isHeld} tells; ask it before the commit where that may have happened.
 *
 * <p>Waiting is asking again and again, with jitter: a wait inside the server would hold back the
 * clean-up of old rows, and deadlock with {@code CREATE INDEX CONCURRENTLY}. There is no order
 * among those who wait, and no token.
 *
 * <p>Immutable, and shared freely between threads; a connection is not.
 */
public final class TransactionLock {
  private static final String EXCLUSIVE = "pg_try_advisory_xact_lock(?)";
  private static final String SHARED = "pg_try_advisory_xact_lock_shared(?)";
  private static final String HELD =
      """
      SELECT EXISTS (
        SELECT FROM pg_catalog.pg_locks
        WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid() AND granted
          AND database = (SELECT oid FROM pg_catalog.pg_database
                          WHERE datname = pg_catalog.current_database())
          AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = ? AND mode = ?)""";
  private static final long SHORTEST_NANOS = Duration.ofMillis(2).toNanos();
  private static final long LONGEST_NANOS = Duration.ofMillis(250).toNanos();

  private final String name;
  private final boolean isShared;

  private TransactionLock(String name, boolean isShared) {
    this.name = name;
    this.isShared = isShared;
  }

  /**
   * The lock of this name.
   *
   * @throws IllegalArgumentException if the name is blank
   */
  public static TransactionLock named(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("the name of a lock is not blank: '" + name + "'");
    }
    return new TransactionLock(name, false);
  }

  /** The same lock, together with others who share it, and with nobody who does not. */
  public TransactionLock shared() {
    return new TransactionLock(name, true);
  }

  /** The lock's name. */
  public String name() {
    return name;
  }

  /**
   * Takes the lock if it is free: one statement, which does not wait. A transaction that has it
   * already gets it again.
   *
   * @return whether this transaction holds it now
   * @throws IllegalStateException if the connection commits each statement by itself, or the
   *     transaction is not READ COMMITTED
   * @throws BackendException if the statement fails; the transaction is then to be rolled back, and
   *     what it held is free
   */
  public boolean tryAcquire(Connection connection) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "a transaction holds '"
                + name
                + "', and this connection commits each statement by"
                + " itself: call setAutoCommit(false) first");
      }
      return ask(connection);
    } catch (SQLException failed) {
      throw Failures.of("acquire of '" + name + "' failed", failed, null);
    }
  }

  private boolean ask(Connection connection) throws SQLException {
    String sql =
        "SELECT CASE WHEN current_setting('transaction_isolation') = 'read committed' THEN "
            + (isShared ? SHARED : EXCLUSIVE)
            + " END";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, LockKey.of(name));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        boolean granted = row.getBoolean(1);
        if (row.wasNull()) {
          throw new IllegalStateException(
              "'"
                  + name
                  + "' is taken under READ COMMITTED: any other transaction sees data that is"
                  + " older than the lock");
        }
        return granted;
      }
    }
  }

  /**
   * Takes the lock, asking again until then; once more when the time is up, because the lock may
   * have become free meanwhile.
   *
   * @return whether this transaction holds it now
   * @throws InterruptedException if the thread is interrupted; the transaction does not hold it
   */
  public boolean tryAcquire(Connection connection, Duration wait) throws InterruptedException {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("a wait is zero or longer, not " + wait);
    }
    long end =
        System.nanoTime()
            + Math.min(wait.toSeconds(), 3_000_000_000L) * 1_000_000_000L
            + wait.toNanosPart();
    long pause = SHORTEST_NANOS;
    while (!tryAcquire(connection)) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
      TimeUnit.NANOSECONDS.sleep(Math.min(left, jittered));
      pause = Math.min(LONGEST_NANOS, pause * 2);
    }
    return true;
  }

  /**
   * Takes the lock, or fails.
   *
   * @throws LockTimeoutException if others held it all the time; the transaction does not hold it
   * @throws InterruptedException if the thread is interrupted; the transaction does not hold it
   */
  public void acquire(Connection connection, Duration wait) throws InterruptedException {
    if (!tryAcquire(connection, wait)) {
      throw new LockTimeoutException(name, wait);
    }
  }

  /**
   * Returns whether this transaction holds the lock now: false if it was not taken, and if it was
   * taken after a savepoint to which the transaction has been rolled back. What was read under the
   * lock may be old then; roll everything back.
   *
   * @throws BackendException if the statement fails
   */
  public boolean isHeld(Connection connection) {
    try (PreparedStatement statement = connection.prepareStatement(HELD)) {
      statement.setLong(1, LockKey.of(name));
      statement.setString(2, isShared ? "ShareLock" : "ExclusiveLock");
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    } catch (SQLException failed) {
      throw Failures.of("inspect of '" + name + "' failed", failed, null);
    }
  }

  @Override
  public String toString() {
    return (isShared ? "shared " : "") + "transaction lock '" + name + "'";
  }
}
