// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Transactions that begin by entering a guard. */
public final class GuardedTransactions {
  private static final int ENTRIES = 10;

  private final FencingGuard guard;
  private final DataSource dataSource;

  GuardedTransactions(FencingGuard guard, DataSource dataSource) {
    this.guard = guard;
    this.dataSource = dataSource;
  }

  /** Under a lease, which is told if it turns out to be lost. */
  public As with(Lease lease) {
    return new As(connection -> guard.enter(connection, lease));
  }

  /** With the token of an exclusive lease that is elsewhere. */
  public As with(FencingToken token) {
    return new As(connection -> guard.enter(connection, token));
  }

  @FunctionalInterface
  private interface Entry {
    void into(Connection connection) throws SQLException;
  }

  /** Who works in them. */
  public final class As {
    private final Entry entry;

    private As(Entry entry) {
      this.entry = entry;
    }

    /**
     * Works in one transaction: enters, works, commits. Whatever is thrown rolls everything back.
     *
     * @throws StaleTokenException if the resource has seen a newer token
     * @throws SQLException as the database says; if the commit was not answered, nobody knows
     */
    public <T, X extends Exception> T call(TransactionWork<T, X> work) throws SQLException, X {
      for (int tries = 1; ; tries++) {
        boolean[] entered = new boolean[1];
        try {
          return Transactions.call(
              dataSource,
              connection -> {
                entry.into(connection);
                entered[0] = true;
                return work.in(connection);
              });
        } catch (SQLException failed) {
          // Above READ COMMITTED, whoever waited for the one before gets this. Nothing was read
          // yet.
          if (entered[0] || tries == ENTRIES || !SqlStates.isConflict(failed)) {
            throw failed;
          }
        }
      }
    }
  }
}
