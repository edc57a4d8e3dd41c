// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Work inside of one transaction. It neither commits nor rolls back: whoever runs it does.
 *
 * @param <T> what it gives
 * @param <X> what it throws besides {@link SQLException}
 */
@FunctionalInterface
public interface TransactionWork<T, X extends Exception> {

  /** Does the work, on the transaction's connection. */
  T in(Connection connection) throws SQLException, X;
}
