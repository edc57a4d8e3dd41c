// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

/** The statements of advisory mode. */
final class AdvisorySql {
  /**
   * Takes locks that are free, and nothing else: most are given back before anybody asks who has
   * them, and a row would cost more than the lock.
   */
  private static final String TAKE =
      """
      SELECT n, token,
             CASE WHEN token IS NULL THEN
               (SELECT other.name FROM holdfast.advisory AS other
                WHERE other.key = tried.key AND other.token IS NOT NULL AND other.name <> tried.name
                LIMIT 1) END AS collides,
             pg_backend_pid()
      FROM (SELECT *, CASE WHEN pg_try_advisory_lock(key) THEN nextval('holdfast.token') END AS token
            FROM unnest(?, ?) WITH ORDINALITY AS each(key, name, n) OFFSET 0) AS tried
      """;

  /** Writes down who holds what was taken without a row. */
  private static final String RECORD =
      """
      INSERT INTO holdfast.advisory AS own
        (key, name, holder, shared, token, passes, place, since, lease_time, purpose,
         session, channel, process, host, pid, application)
      SELECT key, name, holder, false, token, passes, 0,
             clock_timestamp() - age * interval '1 microsecond', lease * interval '1 microsecond',
             purpose, ?, ?, ?, ?, ?, ?
      FROM unnest(?, ?, ?, ?, ?, ?, ?, ?)
        AS each(key, name, holder, token, passes, age, lease, purpose)
      ON CONFLICT (key, holder) DO UPDATE
        SET token = excluded.token, since = excluded.since, session = excluded.session,
            channel = excluded.channel
      """;

  /**
   * Never waits. A token is made only for a lock that was granted. Whoever wants to share a lock
   * stands behind those who already wait to have it alone: readers that overlap would keep them out
   * for ever. Each step of a statement is paid for by each statement, whether it has rows or not:
   * no more than these.
   */
  private static final String ACQUIRE =
      """
      WITH tried AS MATERIALIZED (
        SELECT *, CASE WHEN behind THEN NULL
                       WHEN shared AND EXISTS (
                         SELECT FROM holdfast.advisory AS writer
                         WHERE writer.key = each.key AND writer.token IS NULL AND NOT writer.shared
                           AND (writer.session = ? OR NOT pg_try_advisory_xact_lock_shared(writer.session))
                           AND NOT EXISTS (
                             SELECT FROM holdfast.advisory AS own
                             WHERE own.key = each.key AND own.holder = each.holder
                               AND own.place < writer.place)) THEN NULL
                       WHEN owned
                         OR CASE WHEN shared THEN pg_try_advisory_lock_shared(key)
                                 ELSE pg_try_advisory_lock(key) END
                       THEN nextval('holdfast.token') END AS token
        FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY
          AS each(key, name, holder, shared, owned, behind, lease, waits, passes, purpose, n)),
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

  /** Gives back locks that have no row, and wakes the next in the same statement. */
  private static final String UNLOCK =
      """
      SELECT count(was_ours),
             sum(CASE WHEN EXISTS (SELECT FROM holdfast.advisory AS waiter
                                   WHERE waiter.key = freed.key AND waiter.token IS NULL)
                      THEN holdfast.advisory_wake(key, ?) END)
      FROM (SELECT key, pg_advisory_unlock(key) AS was_ours
            FROM unnest(?) AS each(key) OFFSET 0) AS freed
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

  /** After a waiter has left: those behind it may be let in. */
  private static final String WAKE =
      "SELECT count(holdfast.advisory_wake(key, ?)) FROM unnest(?) AS each(key)";

  /** Which of these locks nobody is known to hold: their holder may have died with its session. */
  private static final String ABANDONED =
      """
      SELECT n FROM unnest(?) WITH ORDINALITY AS each(key, n)
      WHERE NOT EXISTS (
        SELECT FROM holdfast.advisory AS held
        WHERE held.key = each.key AND held.token IS NOT NULL
          AND (held.session = ? OR NOT pg_try_advisory_xact_lock_shared(held.session)))
      """;

  /** How many locks of Holdfast's sessions have no row yet; of one key, or of all. */
  private static final String UNRECORDED =
      """
      WITH locks AS MATERIALIZED (SELECT key, pid FROM @LOCKS@ AS every)
      SELECT count(*) FROM locks AS presence JOIN locks AS taken ON taken.pid = presence.pid
      WHERE presence.key >> 32 = @PRESENCE@ AND taken.key >> 32 <> @PRESENCE@
        AND (taken.key = ? OR ?)
        AND NOT EXISTS (SELECT FROM holdfast.advisory AS own
                        WHERE own.key = taken.key AND own.session = presence.key)
      """
          .replace("@LOCKS@", AdvisorySession.LOCKS)
          .replace("@PRESENCE@", Integer.toString(AdvisorySession.PRESENCE));

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
      WITH alive AS MATERIALIZED (
        SELECT DISTINCT ON (key) key AS session, pid AS server FROM @LOCKS@ AS locks
        WHERE mode = 'ExclusiveLock')
      SELECT name, holder, CASE WHEN shared THEN 1 ELSE 1099511627776 END, 1099511627776, token,
             (extract(epoch FROM lease_time - coalesce(
                statement_timestamp() - (SELECT state_change FROM pg_stat_activity AS client
                                         WHERE client.pid = server), interval '0'))
              * 1000000)::bigint,
             (extract(epoch FROM statement_timestamp() - since) * 1000000)::bigint,
             process, host, pid, application, purpose
      FROM holdfast.advisory JOIN alive USING (session)
      WHERE name IN (%s)
      ORDER BY name, token IS NULL, place
      """
          .replace("@LOCKS@", AdvisorySession.LOCKS);

  private static final String NAMES =
      """
      SELECT DISTINCT name FROM holdfast.advisory
      WHERE name >= ? AND starts_with(name, ?) AND session IN (SELECT session FROM alive)
      ORDER BY name LIMIT ?
      """;

  final String take;
  final String record;
  final String unlock;
  final String acquire;
  final String release;
  final String wake;
  final String abandoned;
  final String unrecorded;
  final String probe;
  final String forceRelease;
  final String unlockStrays;
  final String tidyUp;

  AdvisorySql(PostgresSettings settings) {
    this.take = settings.sql(TAKE);
    this.record = settings.sql(RECORD);
    this.unlock = settings.sql(UNLOCK);
    this.acquire = settings.sql(ACQUIRE);
    this.release = settings.sql(RELEASE);
    this.wake = settings.sql(WAKE);
    this.abandoned = settings.sql(ABANDONED);
    this.unrecorded = settings.sql(UNRECORDED);
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
