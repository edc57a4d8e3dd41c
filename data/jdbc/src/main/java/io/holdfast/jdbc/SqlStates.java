// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.SQLException;
import java.util.Set;

/** What failures of a database mean, as the standard and the databases code them. */
final class SqlStates {
  static final String SERIALIZATION_FAILURE = "40001";

  /** Serialization failure, deadlock; in PostgreSQL, MariaDB and H2. */
  private static final Set<String> CONFLICTS = Set.of(SERIALIZATION_FAILURE, "40P01");

  private SqlStates() {}

  /** Whether a new transaction may succeed where this one met another. */
  static boolean isConflict(SQLException failure) {
    for (SQLException each = failure; each != null; each = each.getNextException()) {
      if (each.getSQLState() != null && CONFLICTS.contains(each.getSQLState())) {
        return true;
      }
    }
    return false;
  }
}
