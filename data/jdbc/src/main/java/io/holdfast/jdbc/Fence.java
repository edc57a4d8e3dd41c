// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import io.holdfast.FencingToken;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Where a guard keeps the newest token that it has seen, and how it is raised. */
interface Fence {

  /** What is guarded, for messages. */
  String resource();

  /**
   * Raises the newest token, in the transaction of this connection, and keeps it from being raised
   * by others until that ends.
   *
   * @param idle how long the transaction may be idle before the server ends it
   * @throws StaleTokenException if a newer one was seen
   */
  void raise(Connection connection, FencingToken token, Duration idle) throws SQLException;

  /** The statements that make what it needs. */
  String ddl();
}
