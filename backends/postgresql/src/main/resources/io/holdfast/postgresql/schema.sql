-- SPDX-License-Identifier: Apache-2.0
-- What Holdfast keeps in PostgreSQL, in a schema of its own: version 3. Makes it, or brings version 2 up to date, and keeps
-- what is in the tables. Can be run again.
-- Who uses locks needs no more than this:
--   GRANT USAGE ON SCHEMA holdfast TO app;
--   GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO app;
--   GRANT SELECT, USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA holdfast TO app;

-- Each function names its search path: what another role puts into a schema of the caller's path is not run by it.

CREATE SCHEMA IF NOT EXISTS holdfast;

-- A script of an older jar does not take back what a newer one has made.
DO $$
DECLARE
  newest integer := 0;
BEGIN
  IF to_regclass('holdfast.schema_version') IS NOT NULL THEN
    SELECT max(version) INTO newest FROM holdfast.schema_version;
  END IF;
  IF newest > 3 THEN
    RAISE EXCEPTION 'the schema has version %, and this is the script of version 3', newest;
  END IF;
END $$;

-- Fencing tokens, of both modes. A grant takes 64 of them: its own, and those of its local passes.
CREATE SEQUENCE IF NOT EXISTS holdfast.token INCREMENT BY 64 MINVALUE 64;

-- Lets tokens go on above all that were granted: those of this server that neither its disk nor a standby had heard of, and
-- those of other stores, which count in microseconds. 2^26 is more than 3,600 sessions can have been granted unheard.
CREATE OR REPLACE FUNCTION holdfast.advance_tokens() RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT setval('holdfast.token', greatest(last_value, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) + 67108864)
  FROM holdfast.token
$$;

SELECT holdfast.advance_tokens() FROM holdfast.token WHERE last_value < 1000000000000000;

-- The order of arrival.
CREATE SEQUENCE IF NOT EXISTS holdfast.place;

-- Lease mode: who holds and who waits.
CREATE TABLE IF NOT EXISTS holdfast.lease (
  name        text COLLATE "C" NOT NULL,
  holder      text COLLATE "C" NOT NULL, -- one acquisition; never used again
  state       smallint NOT NULL,         -- 0 waits, 1 holds, 2 was ended by force: so that its renewal is told
  weight      bigint NOT NULL,           -- how much it takes of the capacity; an exclusive hold takes all
  capacity    bigint NOT NULL,           -- permits: the limit; a lock: 2^40
  lease_time  interval NOT NULL,
  passes      integer NOT NULL,          -- tokens beyond the first that were asked for
  token       bigint,                    -- null while it waits
  place       bigint NOT NULL,
  since       timestamptz NOT NULL,      -- since when it holds, or waits
  until       timestamptz NOT NULL,      -- when the lease ends; a waiter: until when it counts as alive
  channel     text,                      -- where it listens; null if it does not
  process     text NOT NULL,
  host        text NOT NULL,
  pid         bigint NOT NULL,
  application text NOT NULL,
  purpose     text,
  reason      text,                      -- why it was ended by force
  PRIMARY KEY (name, holder)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

CREATE INDEX IF NOT EXISTS lease_queue ON holdfast.lease (name, place) WHERE state = 0;

-- Advisory mode: what PostgreSQL's own lock table does not tell of a hold. A row counts only while the lock "session" is
-- held, which each session of Holdfast takes for itself. Not logged: after a crash the table is empty, as the locks are gone.
CREATE UNLOGGED TABLE IF NOT EXISTS holdfast.advisory (
  key         bigint NOT NULL,
  name        text COLLATE "C" NOT NULL,
  holder      text COLLATE "C" NOT NULL,
  session     bigint NOT NULL,
  shared      boolean NOT NULL,
  token       bigint,                    -- null while it waits
  passes      integer NOT NULL,
  place       bigint NOT NULL,           -- of who waits
  since       timestamptz NOT NULL,
  lease_time  interval NOT NULL,
  forced      text,                      -- why it is to be ended by force
  channel     text,
  process     text NOT NULL,
  host        text NOT NULL,
  pid         bigint NOT NULL,
  application text NOT NULL,
  purpose     text,
  PRIMARY KEY (key, holder)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- Each index is paid for by each lock: no more than these.
CREATE INDEX IF NOT EXISTS advisory_name ON holdfast.advisory (name);
CREATE INDEX IF NOT EXISTS advisory_forced ON holdfast.advisory (session) WHERE forced IS NOT NULL;

-- Advisory mode: has a row while the sequence of tokens is known to be above all that were granted. Not logged, as grants
-- are not: a crash empties it, and a standby that takes over has it empty.
CREATE UNLOGGED TABLE IF NOT EXISTS holdfast.advisory_epoch (since timestamptz NOT NULL);

-- The functions below say which plans they want: statistics of a table that was empty or full of dead rows a minute ago would
-- have each lock read all of it, and a plan that is kept would go on to. What cannot be had within lock_timeout is not
-- waited for: see lease_acquire_or_busy.

-- Lets one request at a time change a lock, until its transaction ends. A number of its own, so that these locks are not
-- those of advisory mode. Refuses a snapshot that is older than the mutex.
CREATE OR REPLACE FUNCTION holdfast.lease_enter(lock_name text) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'leases are changed under READ COMMITTED, not %', current_setting('transaction_isolation')
      USING ERRCODE = 'HF001', HINT = 'ALTER ROLE … SET default_transaction_isolation = ''read committed''';
  END IF;
  PERFORM pg_advisory_xact_lock(1212630083, hashtext(lock_name));
  RETURN clock_timestamp();
END $$;

-- Removes what has ended, and returns how much is taken. A row that is locked stays, and counts: it may be a renewal that was in
-- time and waits for its commit.
CREATE OR REPLACE FUNCTION holdfast.lease_taken(lock_name text, now timestamptz) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM holdfast.lease WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM holdfast.lease WHERE name = lock_name AND state > 0 AND until <= now FOR UPDATE SKIP LOCKED));
  RETURN (SELECT coalesce(sum(weight), 0) FROM holdfast.lease WHERE name = lock_name AND state = 1);
END $$;

-- Serves the queue from its head, for as long as the head fits; drops waiters that have not asked for long.
CREATE OR REPLACE FUNCTION holdfast.lease_serve(lock_name text, now timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  head        holdfast.lease;
  taken       bigint;
  has_expired boolean;
BEGIN
  LOOP
    SELECT * INTO head FROM holdfast.lease
      WHERE name = lock_name AND state = 0 ORDER BY place LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF head.until <= now THEN
      DELETE FROM holdfast.lease WHERE name = lock_name AND holder = head.holder;
      CONTINUE;
    END IF;
    SELECT coalesce(sum(weight), 0), coalesce(bool_or(until <= now), false) INTO taken, has_expired FROM holdfast.lease
      WHERE name = lock_name AND state = 1;
    IF has_expired THEN
      taken := holdfast.lease_taken(lock_name, now);
    END IF;
    EXIT WHEN taken + head.weight > head.capacity;
    UPDATE holdfast.lease
      SET state = 1, token = nextval('holdfast.token'), since = now, until = now + lease_time
      WHERE name = lock_name AND holder = head.holder
      RETURNING * INTO head;
    IF head.channel IS NOT NULL THEN
      -- With the time: a message that comes late must not be taken for a newer grant.
      PERFORM pg_notify(head.channel, concat_ws(' ', 'granted', head.holder, head.token, head.passes,
                                                (extract(epoch FROM now) * 1000000)::bigint));
    END IF;
  END LOOP;
END $$;

-- outcome: granted (token, passes), held (recheck), refused (in use as another kind: its capacity), late (nobody waits for it)
-- Reads the rows of the lock once, where it can: an open transaction keeps dead ones there, and each look reads them all.
DROP FUNCTION IF EXISTS holdfast.lease_acquire(text, text, bigint, bigint, interval, interval, integer, timestamptz, text,
                                               text, text, bigint, text, text);
CREATE OR REPLACE FUNCTION holdfast.lease_acquire(
  lock_name text, asking text, wanted bigint, of_capacity bigint, asked_lease interval, patience interval,
  asked_passes integer, deadline timestamptz, asking_channel text,
  asking_process text, asking_host text, asking_pid bigint, asking_application text, asked_purpose text,
  hurried boolean DEFAULT false,
  OUT outcome text, OUT granted_token bigint, OUT granted_passes integer, OUT recheck interval, OUT other_capacity bigint)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms'
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  now         timestamptz;
  taken       bigint;
  has_waiters boolean;
  has_expired boolean;
  own_place   bigint;
  ahead       integer;
BEGIN
  IF hurried THEN
    PERFORM set_config('lock_timeout', '20ms', true);
  END IF;
  now := holdfast.lease_enter(lock_name);
  IF now > deadline THEN
    outcome := 'late';
    RETURN;
  END IF;
  SELECT coalesce(sum(weight) FILTER (WHERE state = 1 AND until > now), 0),
         coalesce(bool_or(state = 0 AND until > now AND holder <> asking), false),
         coalesce(bool_or(state > 0 AND until <= now), false),
         min(capacity) FILTER (WHERE state < 2 AND until > now AND capacity <> of_capacity),
         min(token) FILTER (WHERE holder = asking AND state = 1 AND until > now)
    INTO taken, has_waiters, has_expired, other_capacity, granted_token
    FROM holdfast.lease WHERE name = lock_name;
  IF granted_token IS NOT NULL THEN
    -- A repeat, because the reply was lost, or a poll that missed its grant: the same token again.
    UPDATE holdfast.lease SET until = now + lease_time
      WHERE name = lock_name AND holder = asking
      RETURNING passes INTO granted_passes;
    outcome := 'granted';
    other_capacity := NULL;
    RETURN;
  END IF;
  IF other_capacity IS NOT NULL THEN
    outcome := 'refused';
    RETURN;
  END IF;
  IF has_expired THEN
    taken := holdfast.lease_taken(lock_name, now);
  END IF;
  IF NOT has_waiters AND taken + wanted <= of_capacity THEN
    INSERT INTO holdfast.lease AS own
      VALUES (lock_name, asking, 1, wanted, of_capacity, asked_lease, asked_passes, nextval('holdfast.token'), 0,
              now, now + asked_lease, asking_channel,
              asking_process, asking_host, asking_pid, asking_application, asked_purpose, NULL)
      ON CONFLICT (name, holder) DO UPDATE SET state = 1, token = excluded.token, since = now, until = excluded.until
      RETURNING token, passes INTO granted_token, granted_passes;
    outcome := 'granted';
    RETURN;
  END IF;
  IF patience > interval '0' THEN
    INSERT INTO holdfast.lease AS own
      VALUES (lock_name, asking, 0, wanted, of_capacity, asked_lease, asked_passes, NULL, nextval('holdfast.place'),
              now, now + least(patience, interval '10 seconds'), asking_channel,
              asking_process, asking_host, asking_pid, asking_application, asked_purpose, NULL)
      ON CONFLICT (name, holder) DO UPDATE
        SET state = 0, until = excluded.until, lease_time = excluded.lease_time, channel = excluded.channel
      RETURNING place INTO own_place;
  END IF;
  PERFORM holdfast.lease_serve(lock_name, now);
  SELECT token, passes INTO granted_token, granted_passes FROM holdfast.lease
    WHERE name = lock_name AND holder = asking AND state = 1;
  IF FOUND THEN
    outcome := 'granted';
    RETURN;
  END IF;
  outcome := 'held';
  SELECT count(*) INTO ahead FROM (
    SELECT FROM holdfast.lease WHERE name = lock_name AND state = 0 AND place < own_place LIMIT 30) AS before;
  -- The first asks when a hold may have run out. Whoever listens is told; whoever does not asks, the more often the nearer.
  SELECT CASE
      WHEN asking_channel IS NULL THEN least(min(until) - now, interval '50 milliseconds' * (1 + ahead))
      WHEN ahead = 0 THEN min(until) - now
      ELSE interval '3 seconds' END
    INTO recheck
    FROM (SELECT greatest(until, now + interval '50 milliseconds') AS until
          FROM holdfast.lease WHERE name = lock_name AND state = 1) AS held;
END $$;

-- The same, or busy: another transaction keeps this lock, or a row of it. For requests that share a statement with others,
-- which would fail with it. A savepoint for each is not cheap: only after a statement without them has failed.
CREATE OR REPLACE FUNCTION holdfast.lease_acquire_or_busy(
  lock_name text, asking text, wanted bigint, of_capacity bigint, asked_lease interval, patience interval,
  asked_passes integer, deadline timestamptz, asking_channel text,
  asking_process text, asking_host text, asking_pid bigint, asking_application text, asked_purpose text,
  OUT outcome text, OUT granted_token bigint, OUT granted_passes integer, OUT recheck interval, OUT other_capacity bigint)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Where many are busy, the last are asked for later.
  IF clock_timestamp() > statement_timestamp() + interval '300 milliseconds' THEN
    outcome := 'busy';
    RETURN;
  END IF;
  SELECT done.outcome, done.granted_token, done.granted_passes, done.recheck, done.other_capacity
    INTO outcome, granted_token, granted_passes, recheck, other_capacity
    FROM holdfast.lease_acquire(
      lock_name, asking, wanted, of_capacity, asked_lease, patience, asked_passes, deadline, asking_channel,
      asking_process, asking_host, asking_pid, asking_application, asked_purpose, true) AS done;
EXCEPTION WHEN lock_not_available THEN
  outcome := 'busy';
END $$;

-- Whether it held. Also how a waiter leaves.
DROP FUNCTION IF EXISTS holdfast.lease_release(text, text);
CREATE OR REPLACE FUNCTION holdfast.lease_release(lock_name text, leaving text, hurried boolean DEFAULT false) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms'
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  now  timestamptz;
  held boolean;
BEGIN
  IF hurried THEN
    PERFORM set_config('lock_timeout', '20ms', true);
  END IF;
  now := holdfast.lease_enter(lock_name);
  DELETE FROM holdfast.lease WHERE name = lock_name AND holder = leaving RETURNING state = 1 AND until > now INTO held;
  PERFORM holdfast.lease_serve(lock_name, now);
  RETURN coalesce(held, false);
END $$;

-- The same, or null: busy, as above.
CREATE OR REPLACE FUNCTION holdfast.lease_release_or_busy(lock_name text, leaving text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF clock_timestamp() > statement_timestamp() + interval '300 milliseconds' THEN
    RETURN NULL;
  END IF;
  RETURN holdfast.lease_release(lock_name, leaving, true);
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;

-- Never inserts, and waits for no row: whoever locks one keeps that one from being renewed (BUSY), and no other.
CREATE OR REPLACE FUNCTION holdfast.lease_renew(names text[], holders text[], leases bigint[])
RETURNS TABLE (n bigint, outcome text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
  found_n    bigint[];
  found_row  tid[];
BEGIN
  -- In a statement of its own: the next one sees the rows as they are, now that they are locked.
  SELECT array_agg(alive.n), array_agg(alive.ctid) INTO found_n, found_row FROM (
    SELECT asked.n, lease.ctid
    FROM unnest(names, holders) WITH ORDINALITY AS asked (name, holder, n)
      JOIN holdfast.lease ON lease.name = asked.name AND lease.holder = asked.holder
    WHERE lease.state = 1 AND lease.until > clock_timestamp()
    FOR NO KEY UPDATE OF lease SKIP LOCKED) AS alive (n, ctid);
  RETURN QUERY
    UPDATE holdfast.lease SET until = clock_timestamp() + leases[alive.n] * interval '1 microsecond'
    FROM unnest(found_n, found_row) AS alive (n, at) WHERE lease.ctid = alive.at
    RETURNING alive.n, 'RENEWED';
  RETURN QUERY
    SELECT asked.n, CASE
      WHEN lease.state = 1 AND lease.until > clock_timestamp() THEN 'BUSY'
      WHEN lease.state = 2 THEN 'FORCED'
      WHEN EXISTS (SELECT FROM holdfast.lease AS other
                   WHERE other.name = asked.name AND other.holder <> asked.holder
                     AND other.state = 1 AND other.until > clock_timestamp()) THEN 'TAKEN'
      ELSE 'GONE' END
    FROM unnest(names, holders) WITH ORDINALITY AS asked (name, holder, n)
      LEFT JOIN holdfast.lease ON lease.name = asked.name AND lease.holder = asked.holder
    WHERE asked.n <> ALL (coalesce(found_n, '{}'));
END $$;

-- Removes what was not asked for since it ended, a part at a time: its name may never be used again. Returns how many.
CREATE OR REPLACE FUNCTION holdfast.lease_sweep(most integer) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  swept integer;
BEGIN
  DELETE FROM holdfast.lease WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM holdfast.lease WHERE until < clock_timestamp() - interval '1 minute' LIMIT most
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS swept = ROW_COUNT;
  RETURN swept;
END $$;

CREATE OR REPLACE FUNCTION holdfast.lease_force_release(lock_name text, its_token bigint, why text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms'
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  now   timestamptz := holdfast.lease_enter(lock_name);
  ended holdfast.lease;
BEGIN
  UPDATE holdfast.lease SET state = 2, reason = why
    WHERE name = lock_name AND state = 1 AND until > now AND its_token BETWEEN token AND token + passes
    RETURNING * INTO ended;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  RAISE LOG 'holdfast: the lease of % with token % was released by force: %', lock_name, its_token, why;
  IF ended.channel IS NOT NULL THEN
    PERFORM pg_notify(ended.channel, 'forced ' || ended.holder);
  END IF;
  PERFORM holdfast.lease_serve(lock_name, now);
  RETURN true;
END $$;

-- Advisory mode: before a session grants. A grant is not logged and waits for nothing, and of 33 values of the sequence one is
-- logged: after a crash or a fail-over, tokens could repeat. The commit of this waits until the advance is on the disk, and on
-- a synchronous standby; also if another session made it, which may have been cut off while it waited.
CREATE OR REPLACE FUNCTION holdfast.advisory_begin() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1212630083, 1);
  IF EXISTS (SELECT FROM holdfast.advisory_epoch) THEN
    PERFORM pg_logical_emit_message(true, 'holdfast', '');
  ELSE
    PERFORM holdfast.advance_tokens();
    INSERT INTO holdfast.advisory_epoch VALUES (clock_timestamp());
  END IF;
END $$;

-- Advisory mode: tells the first who waits for a lock that was just unlocked, or all those in front who share it. A waiter
-- whose session is dead is dropped: its presence can be locked. Returns how many were told.
CREATE OR REPLACE FUNCTION holdfast.advisory_wake(freed bigint, own_session bigint) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  waiter holdfast.advisory;
  told   integer := 0;
BEGIN
  FOR waiter IN SELECT * FROM holdfast.advisory WHERE key = freed AND token IS NULL ORDER BY place LOOP
    IF waiter.session <> own_session AND pg_try_advisory_xact_lock_shared(waiter.session) THEN
      DELETE FROM holdfast.advisory WHERE key = freed AND holder = waiter.holder;
      CONTINUE;
    END IF;
    CONTINUE WHEN waiter.channel IS NULL;
    EXIT WHEN told > 0 AND NOT waiter.shared;
    PERFORM pg_notify(waiter.channel, 'retry ' || waiter.name);
    told := told + 1;
    EXIT WHEN NOT waiter.shared;
  END LOOP;
  RETURN told;
END $$;

-- Clients of version 2 ask for this, and accept no other number.
CREATE OR REPLACE FUNCTION holdfast.version() RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS 'SELECT 2';

-- The versions that this schema has had. Clients from oldest_client on work with it. Newer ones bring it up to date.
CREATE TABLE IF NOT EXISTS holdfast.schema_version (
  version       integer PRIMARY KEY,
  oldest_client integer NOT NULL,
  since         timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON holdfast.schema_version TO PUBLIC;
INSERT INTO holdfast.schema_version VALUES (3, 2) ON CONFLICT DO NOTHING;
