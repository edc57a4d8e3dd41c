// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.time.Duration;

/** Deletes finished rows that are old enough, in small transactions. */
record Housekeeping(JobsSql sql, Duration keepFinished, Duration keepDead) {
  static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final int MOST = 1000;

  /** How many rows were deleted. */
  int run(Database database) throws SQLException {
    return forget(database, JobState.DONE, keepFinished)
        + forget(database, JobState.CANCELLED, keepFinished)
        + forget(database, JobState.DEAD, keepDead);
  }

  private int forget(Database database, JobState state, Duration age) throws SQLException {
    int all = 0;
    int some;
    do {
      some = database.call(connection -> sql.forget(connection, state, age, MOST));
      all += some;
    } while (some == MOST);
    return all;
  }
}
