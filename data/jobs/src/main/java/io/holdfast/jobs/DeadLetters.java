// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import java.util.List;

/** The dead letters of a queue: jobs that failed in their last attempt, kept for a look. */
public final class DeadLetters {
  private final JobsSql sql;
  private final Database database;
  private final String queue;

  DeadLetters(JobsSql sql, Database database, String queue) {
    this.sql = sql;
    this.database = database;
    this.queue = Names.queue(queue);
  }

  /** The oldest ones, at most so many. */
  public List<DeadLetter> list(int limit) throws SQLException {
    return database.call(connection -> sql.deadLetters(connection, queue, limit));
  }

  /**
   * Puts one back into its queue, ready, with all its attempts before it again.
   *
   * @return false if there is no such dead letter, or an unfinished job has its unique key
   */
  public boolean redrive(long id) throws SQLException {
    return !database.call(connection -> sql.redrive(connection, queue, id, 1)).isEmpty();
  }

  /**
   * Puts the oldest ones back, at most so many.
   *
   * @return their ids; those whose unique key an unfinished job has stay where they are
   */
  public List<Long> redriveOldest(int limit) throws SQLException {
    return database.call(connection -> sql.redrive(connection, queue, null, limit));
  }
}
