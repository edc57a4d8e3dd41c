// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** What failures of a database mean, as the standard and the databases code them. */
final class SqlStates {
  static final String SERIALIZATION_FAILURE = "40001";

  /** Serialization failure, deadlock; in PostgreSQL, MariaDB and H2. */
  private static final Set<String> CONFLICTS = Set.of(SERIALIZATION_FAILURE, "40P01");

  /** MariaDB with innodb_snapshot_isolation has a number only: the row has changed since. */
  private static final String GENERAL = "HY000";

  private static final int MARIADB_RECORD_HAS_CHANGED = 1020;

  private SqlStates() {}

  /**
   * Whether a new transaction may succeed where this one met another. Templates and mappers wrap
   * what the driver throws, so that all causes are looked at.
   */
  static boolean isConflict(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable each = failure; each != null && seen.add(each); each = each.getCause()) {
      if (each instanceof ConflictsExhaustedException) {
        return false; // It was tried again already, as often as its policy says.
      }
      if (each instanceof VersionConflictException
          || (each instanceof SQLException failed && hasConflictCode(failed))) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasConflictCode(SQLException failure) {
    for (SQLException each = failure; each != null; each = each.getNextException()) {
      String state = each.getSQLState();
      if (state != null
          && (CONFLICTS.contains(state)
              || (state.equals(GENERAL) && each.getErrorCode() == MARIADB_RECORD_HAS_CHANGED))) {
        return true;
      }
    }
    return false;
  }
}
