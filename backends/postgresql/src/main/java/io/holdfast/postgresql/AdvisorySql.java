// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

/** The statements of advisory mode. */
final class AdvisorySql {
  /**
   * Never waits. A token is made only for a lock that was granted. Each step of a statement is paid
   * for by each statement, whether it has rows or not: no more than these.
   */
  private static final String ACQUIRE =
      """
      WITH tried AS MATERIALIZED (
        SELECT *, CASE WHEN owned
                         OR CASE WHEN shared THEN pg_try_advisory_lock_shared(key)
                                 ELSE pg_try_advisory_lock(key) END
                       THEN nextval('holdfast.token') END AS token
        FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY
          AS each(key, name, holder, shared, owned, lease, waits, passes, purpose, n)),
      written AS (
        INSERT INTO holdfast.advisory AS own
          (key, name, holder, shared, token, passes, place, since, lease_time, purpose,
           session, channel, process, host, pid, application)
        SELECT key, name, holder, shared, token, passes,
               CASE WHEN token IS NULL THEN nextval('holdfast.place') ELSE 0 END,
               clock_timestamp(), lease * interval '1 microsecond', purpose, ?, ?, ?, ?, ?, ?
        FROM tried WHERE token IS NOT NULL OR (waits AND NOT EXISTS (
          SELECT FROM holdfast.advisory AS other
          WHERE other.key = tried.key AND other.name <> tried.name))
        ON CONFLICT (key, holder) DO UPDATE
          SET token = excluded.token, since = excluded.since, session = excluded.session,
              channel = excluded.channel
          WHERE excluded.token IS NOT NULL OR own.session <> excluded.session)
      SELECT n, token,
             CASE WHEN token IS NULL THEN
               (SELECT other.name FROM holdfast.advisory AS other
                WHERE other.key = tried.key AND other.name <> tried.name LIMIT 1) END AS collides,
             pg_backend_pid()
      FROM tried
      """;

  /**
   * Unlocks first, and wakes the next in the same statement: the message goes at its commit. The
   * question whether somebody waits is no condition of the outer query, which a planner may ask
   * first, and leave the unlocking out.
   */
  private static final String RELEASE =
      """
      WITH leaving AS MATERIALIZED (
        SELECT * FROM unnest(?, ?, ?, ?) AS each(key, holder, shared, unlocks)),
      gone AS (
        DELETE FROM holdfast.advisory USING leaving
        WHERE advisory.key = leaving.key AND advisory.holder = leaving.holder),
      freed AS MATERIALIZED (
        SELECT key, CASE WHEN shared THEN pg_advisory_unlock_shared(key)
                         ELSE pg_advisory_unlock(key) END AS was_ours
        FROM leaving WHERE unlocks)
      SELECT count(was_ours),
             sum(CASE WHEN EXISTS (SELECT FROM holdfast.advisory AS waiter
                                   WHERE waiter.key = freed.key AND waiter.token IS NULL)
                      THEN holdfast.advisory_wake(key, ?) END)
      FROM freed
      """;

  private static final String PROBE =
      """
      SELECT pg_backend_pid(), forced.holder
      FROM (SELECT ?::bigint AS session) AS own
      LEFT JOIN holdfast.advisory AS forced
        ON forced.session = own.session AND forced.forced IS NOT NULL
      """;

  /** A session that is dead holds nothing: its presence can be locked. */
  private static final String FORCE_RELEASE =
      """
      UPDATE holdfast.advisory SET forced = ?
      WHERE name = ? AND ? BETWEEN token AND token + passes AND forced IS NULL
        AND (session = ? OR NOT pg_try_advisory_xact_lock_shared(session))
      RETURNING CASE WHEN channel IS NOT NULL
                     THEN pg_notify(channel, 'forced ' || holder)::text END
      """;

  /**
   * Unlocks what this session has locked and nobody knows of. Writes nothing and reads no shared
   * table: whatever does needs a place in the lock table, which may be full.
   */
  private static final String UNLOCK_STRAYS =
      """
      SELECT CASE WHEN mode = 'ShareLock' THEN pg_advisory_unlock_shared(key)
                  ELSE pg_advisory_unlock(key) END
      FROM (SELECT (classid::bigint << 32) | objid::bigint AS key, mode FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()) AS own
      WHERE key <> ? AND NOT key = ANY (?)
      """;

  /** Deletes the rows of this session that nobody knows of. */
  private static final String TIDY_UP =
      "DELETE FROM holdfast.advisory WHERE session = ? AND NOT holder = ANY (?)";

  private static final String LOOK =
      """
      WITH alive AS MATERIALIZED (SELECT key AS session FROM @LOCKS@ AS locks)
      SELECT name, holder, CASE WHEN shared THEN 1 ELSE 1099511627776 END, 1099511627776, token,
             (extract(epoch FROM lease_time) * 1000000)::bigint,
             (extract(epoch FROM statement_timestamp() - since) * 1000000)::bigint,
             process, host, pid, application, purpose
      FROM holdfast.advisory
      WHERE session IN (SELECT session FROM alive) AND name IN (%s)
      ORDER BY name, token IS NULL, place
      """
          .replace("@LOCKS@", AdvisorySession.LOCKS);

  private static final String NAMES =
      """
      SELECT DISTINCT name FROM holdfast.advisory
      WHERE name >= ? AND starts_with(name, ?) AND session IN (SELECT session FROM alive)
      ORDER BY name LIMIT ?
      """;

  final String acquire;
  final String release;
  final String probe;
  final String forceRelease;
  final String unlockStrays;
  final String tidyUp;

  AdvisorySql(PostgresSettings settings) {
    this.acquire = settings.sql(ACQUIRE);
    this.release = settings.sql(RELEASE);
    this.probe = settings.sql(PROBE);
    this.forceRelease = settings.sql(FORCE_RELEASE);
    this.unlockStrays = settings.sql(UNLOCK_STRAYS);
    this.tidyUp = settings.sql(TIDY_UP);
  }

  static String look(PostgresSettings settings) {
    return settings.sql(LOOK);
  }

  static String names(PostgresSettings settings) {
    return settings.sql(NAMES);
  }
}
