// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Work without a lock, that notices when somebody else was faster and does it all again: a new
 * transaction and fresh reads for each attempt, after a {@linkplain VersionConflictException
 * version conflict}, a serialization failure or a deadlock, also if that is the cause of what the
 * work throws: JdbcTemplate and JPA wrap what the driver says.
 *
 * <p>Counts what it met; one instance for each kind of work makes the counts tell something. May be
 * shared by threads.
 */
public final class Optimistic {
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private final DataSource dataSource;
  private final OptimisticPolicy policy;
  private final LongAdder calls = new LongAdder();
  private final LongAdder conflicts = new LongAdder();
  private final LongAdder locked = new LongAdder();
  private final LongAdder exhausted = new LongAdder();

  /** Work on connections from here, by this policy. */
  public Optimistic(DataSource dataSource, OptimisticPolicy policy) {
    this.dataSource = dataSource;
    this.policy = policy;
  }

  /** The same in one call, where nobody wants the counts. */
  public static <T, X extends Exception> T call(
      DataSource dataSource, OptimisticPolicy policy, TransactionWork<T, X> work)
      throws SQLException, InterruptedException, X {
    return new Optimistic(dataSource, policy).call(work);
  }

  /**
   * Does the work in a transaction and commits it; again, if it met somebody else's change.
   *
   * @throws ConflictsExhaustedException if no attempt got through
   * @throws IllegalStateException inside of a transaction: its reads would not be fresh
   * @throws LockTimeoutException if the policy's lock was not free in time
   * @throws SQLException if the database fails in any other way
   */
  public <T, X extends Exception> T call(TransactionWork<T, X> work)
      throws SQLException, InterruptedException, X {
    refuseInsideTransaction();
    calls.increment();
    INSIDE.set(true);
    try {
      return tryUntilDone(work);
    } finally {
      INSIDE.remove();
    }
  }

  private static void refuseInsideTransaction() {
    if (INSIDE.get() || SpringTransactions.isActive()) {
      throw new IllegalStateException(
          "optimistic work was begun inside of a transaction, which would keep its reads from being"
              + " fresh: begin it outside");
    }
  }

  private <T, X extends Exception> T tryUntilDone(TransactionWork<T, X> work)
      throws SQLException, InterruptedException, X {
    long begin = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      Exception conflict;
      try {
        return attempt(work, policy.lockAfter(attempt - 1), left(begin));
      } catch (Exception failed) {
        if (!SqlStates.isConflict(failed)) {
          throw failed;
        }
        conflict = failed;
      }
      conflicts.increment();
      long pause = ThreadLocalRandom.current().nextLong(policy.pauseBound(attempt).toNanos() + 1);
      if (attempt == policy.attempts() || left(begin).toNanos() <= pause) {
        exhausted.increment();
        throw new ConflictsExhaustedException(
            attempt, Duration.ofNanos(System.nanoTime() - begin), conflict);
      }
      Thread.sleep(pause / 1_000_000, (int) (pause % 1_000_000));
    }
  }

  private <T, X extends Exception> T attempt(
      TransactionWork<T, X> work, @Nullable DistributedLock lock, Duration wait)
      throws SQLException, InterruptedException, X {
    if (lock == null) {
      return Transactions.call(dataSource, work);
    }
    locked.increment();
    Lease lease = lock.acquire(wait);
    try {
      // The lock spares conflicts; it is the versions that keep the data right.
      return Transactions.call(dataSource, work);
    } finally {
      lease.close();
    }
  }

  private Duration left(long begin) {
    Duration left = policy.deadline().minusNanos(System.nanoTime() - begin);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** What was met until now. */
  public Counts counts() {
    return new Counts(calls.sum(), conflicts.sum(), locked.sum(), exhausted.sum());
  }

  /**
   * For metrics; each only grows.
   *
   * @param calls how often work was asked for
   * @param conflicts attempts that met somebody else's change
   * @param locked attempts that were made under the policy's lock
   * @param exhausted calls that gave up
   */
  public record Counts(long calls, long conflicts, long locked, long exhausted) {}
}
