// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One queue, for all its workers in all processes: pauses it, and limits what runs at once. */
public final class JobQueue {
  private final JobsSql sql;
  private final Database database;
  private final String name;

  JobQueue(JobsSql sql, Database database, String name) {
    this.sql = sql;
    this.database = database;
    this.name = Names.queue(name);
  }

  /**
   * Pauses it: no worker claims jobs until {@link #resume()}. Jobs that workers have claimed run
   * on, and jobs can be enqueued.
   */
  public void pause() throws SQLException {
    say(true, null, null);
  }

  /** Ends the pause. Workers claim again with their next poll. */
  public void resume() throws SQLException {
    say(false, null, null);
  }

  /** Whether it is paused. */
  public boolean isPaused() throws SQLException {
    return database.call(connection -> sql.isPaused(connection, name));
  }

  /**
   * Sets how many jobs all workers together may have at once. Prefetched ones count: workers of
   * such a queue should not prefetch. Jobs beyond a limit that was lowered run on.
   */
  public void limit(int count) throws SQLException {
    say(null, atLeastOne(count), null);
  }

  /** Removes the limit. */
  public void unlimited() throws SQLException {
    say(null, 0, null);
  }

  /** Sets how many jobs of one {@linkplain NewJob#group group} may run at once. 1. */
  public void limitPerGroup(int count) throws SQLException {
    say(null, null, atLeastOne(count));
  }

  private static int atLeastOne(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("a limit is 1 or more, not " + count);
    }
    return count;
  }

  private void say(@Nullable Boolean paused, @Nullable Integer limit, @Nullable Integer perGroup)
      throws SQLException {
    database.call(connection -> sql.say(connection, name, paused, limit, perGroup));
  }

  @Override
  public String toString() {
    return "queue '" + name + "'";
  }
}
