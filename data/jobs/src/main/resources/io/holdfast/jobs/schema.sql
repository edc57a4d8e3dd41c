-- SPDX-License-Identifier: Apache-2.0
-- What the job queue keeps in PostgreSQL, in a schema of its own: version 2. Makes it, or brings version 1 up to date, and
-- keeps what is in the tables and the functions that clients of version 1 call. Can be run again.
-- Who runs workers needs no more than this:
--   GRANT USAGE ON SCHEMA holdfast_jobs TO app;
--   GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast_jobs TO app;
--   GRANT USAGE ON ALL SEQUENCES IN SCHEMA holdfast_jobs TO app;
-- Who only enqueues needs no more than that:
--   GRANT USAGE ON SCHEMA holdfast_jobs TO producer;
--   GRANT SELECT, INSERT ON holdfast_jobs.job TO producer;
--   GRANT USAGE ON SEQUENCE holdfast_jobs.job_id TO producer;

-- Each function names its search path: what another role puts into a schema of the caller's path is not run by it.

CREATE SCHEMA IF NOT EXISTS holdfast_jobs;

-- A script of an older jar does not take back what a newer one has made.
DO $$
DECLARE
  newest integer := 0;
BEGIN
  IF to_regclass('holdfast_jobs.schema_version') IS NOT NULL THEN
    SELECT max(version) INTO newest FROM holdfast_jobs.schema_version;
  END IF;
  IF newest > 2 THEN
    RAISE EXCEPTION 'the schema has version %, and this is the script of version 2', newest;
  END IF;
END $$;

CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.job_id;
CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.worker_id;

-- Fencing tokens: every claim of any job has a greater one than all claims that were committed before it began.
-- They begin with the time in microseconds, as tokens of other stores do: a guard may know tokens of both.
CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.token;
SELECT setval('holdfast_jobs.token', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
FROM holdfast_jobs.token WHERE last_value < 1000000000000000;

-- What is to be done, and nothing else: a job that is done leaves this table, so that it stays small.
CREATE TABLE IF NOT EXISTS holdfast_jobs.job (
  id           bigint PRIMARY KEY,
  queue        text COLLATE "C" NOT NULL,
  state        smallint NOT NULL,        -- 0 scheduled, 1 ready, 2 running; of a group: 6 has just come, 7 waits for others
  rank         smallint NOT NULL,        -- the priority with its sign changed: what comes first is less
  attempt      smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL,
  run_at       timestamptz NOT NULL,     -- not before; also the order among equals
  enqueued_at  timestamptz NOT NULL,
  worker       bigint,                   -- the claim: null unless it runs
  token        bigint,                   -- the claim's token: null unless it runs
  unique_key   text COLLATE "C",
  error        text,                     -- why the last attempt failed
  payload      jsonb NOT NULL,
  group_key    text COLLATE "C",         -- of the jobs with one key only so many run at a time
  prefetched   boolean NOT NULL DEFAULT false, -- was claimed for later: begun if its token is not above the worker's mark
  due_at       timestamptz               -- of a recurring job: which of its times this is
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1);

-- Of version 1.
ALTER TABLE holdfast_jobs.job
  ADD COLUMN IF NOT EXISTS group_key text COLLATE "C",
  ADD COLUMN IF NOT EXISTS prefetched boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS due_at timestamptz;

CREATE INDEX IF NOT EXISTS job_ready ON holdfast_jobs.job (queue, rank, run_at, id) WHERE state = 1;
CREATE INDEX IF NOT EXISTS job_due ON holdfast_jobs.job (queue, run_at) WHERE state = 0;
CREATE INDEX IF NOT EXISTS job_held ON holdfast_jobs.job (worker) WHERE state = 2;
CREATE UNIQUE INDEX IF NOT EXISTS job_unique ON holdfast_jobs.job (queue, unique_key) WHERE unique_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_arrived ON holdfast_jobs.job (queue, rank, run_at, id) WHERE state = 6;
CREATE INDEX IF NOT EXISTS job_waiting ON holdfast_jobs.job (queue, group_key, rank, run_at, id) WHERE state = 7;
CREATE INDEX IF NOT EXISTS job_admitted ON holdfast_jobs.job (queue, group_key) WHERE group_key IS NOT NULL AND state IN (1, 2);

-- What was: done (only if such rows are kept), dead, cancelled.
CREATE TABLE IF NOT EXISTS holdfast_jobs.finished (
  id           bigint PRIMARY KEY,
  queue        text COLLATE "C" NOT NULL,
  state        smallint NOT NULL,        -- 3 done, 4 dead, 5 cancelled
  rank         smallint NOT NULL,
  attempt      smallint NOT NULL,
  max_attempts smallint NOT NULL,
  enqueued_at  timestamptz NOT NULL,
  finished_at  timestamptz NOT NULL,
  unique_key   text COLLATE "C",
  error        text,
  payload      jsonb NOT NULL,
  group_key    text COLLATE "C",
  due_at       timestamptz
);
-- Of version 1.
ALTER TABLE holdfast_jobs.finished
  ADD COLUMN IF NOT EXISTS group_key text COLLATE "C",
  ADD COLUMN IF NOT EXISTS due_at timestamptz;

CREATE INDEX IF NOT EXISTS finished_age ON holdfast_jobs.finished (state, finished_at, id);

-- Who lives. One row for a worker, however many jobs it has; its updates stay on the page.
CREATE TABLE IF NOT EXISTS holdfast_jobs.worker (
  id    bigint PRIMARY KEY,
  queue text COLLATE "C" NOT NULL,
  name  text NOT NULL,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,            -- after this anybody may take its jobs away
  epoch integer NOT NULL DEFAULT 0,      -- raised when it does not know what it has claimed; -1 if it is dead for good
  begun bigint NOT NULL DEFAULT 0        -- what it prefetched has begun, or may have, up to this token
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 500);
ALTER TABLE holdfast_jobs.worker ADD COLUMN IF NOT EXISTS begun bigint NOT NULL DEFAULT 0; -- of version 1

-- What was said of a queue. A queue without a row is not paused and has no limit, and its groups run one job at a time.
CREATE TABLE IF NOT EXISTS holdfast_jobs.queue (
  name          text COLLATE "C" PRIMARY KEY,
  paused        boolean NOT NULL DEFAULT false,
  max_running   integer,
  max_per_group integer NOT NULL DEFAULT 1
);

-- Jobs that run again and again. What a schedule means only clients know; here is when it is due next.
CREATE TABLE IF NOT EXISTS holdfast_jobs.recurring (
  name         text COLLATE "C" PRIMARY KEY,
  queue        text COLLATE "C" NOT NULL,
  schedule     text NOT NULL,
  next_at      timestamptz NOT NULL,
  last_job     bigint,                   -- the run that has to end before the next is due
  most_missed  integer NOT NULL,         -- how many missed runs are made up for
  rank         smallint NOT NULL,
  max_attempts smallint NOT NULL,
  unique_key   text COLLATE "C",
  payload      jsonb NOT NULL,
  group_key    text COLLATE "C"
);
CREATE INDEX IF NOT EXISTS recurring_next ON holdfast_jobs.recurring (queue, next_at);

-- Some functions ask for generic plans: with others the planner would begin anew in every call, for no better plan.

-- Null for a job whose unique key is taken. The hints are the queues whose workers are to be woken. Inserted in the order of
-- queues and keys, so that two who enqueue the same keys wait for each other in one direction only. A key that is seen to be
-- taken is not inserted to find that out: that would wait for a transaction which is about to complete the job. (It is a
-- scalar subquery because that is never hashed: it would read all jobs.)
CREATE OR REPLACE FUNCTION holdfast_jobs.enqueue(
  queues text[], ranks smallint[], attempts smallint[], delays bigint[], times timestamptz[], keys text[], payloads text[],
  group_keys text[], hints text[]) RETURNS SETOF bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off AS $$
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT nextval('holdfast_jobs.job_id') AS id, job.*,
           greatest(coalesce(due, statement_timestamp()), statement_timestamp()) + delay * interval '1 microsecond' AS run_at
    FROM unnest(queues, ranks, attempts, delays, times, keys, payloads, group_keys)
      WITH ORDINALITY AS job (queue, rank, max_attempts, delay, due, unique_key, payload, group_key, place)
  ), added AS (
    INSERT INTO holdfast_jobs.job AS job
      (id, queue, state, rank, max_attempts, run_at, enqueued_at, unique_key, payload, group_key)
    SELECT a.id, a.queue,
           CASE WHEN a.run_at > statement_timestamp() THEN 0 WHEN a.group_key IS NULL THEN 1 ELSE 6 END,
           a.rank, a.max_attempts, a.run_at, statement_timestamp(), a.unique_key, a.payload::jsonb, a.group_key
    FROM asked AS a
    WHERE a.unique_key IS NULL
      OR (SELECT other.id FROM holdfast_jobs.job AS other
          WHERE other.queue = a.queue AND other.unique_key = a.unique_key LIMIT 1) IS NULL
    ORDER BY a.queue, a.unique_key, a.place
    ON CONFLICT (queue, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING job.id
  )
  SELECT added.id FROM asked LEFT JOIN added ON added.id = asked.id ORDER BY asked.place;
  PERFORM pg_notify('holdfast_jobs', hint) FROM unnest(hints) AS hint;
END $$;

-- Lets jobs of these groups become ready, as many as may run. Whoever changes what stands here asks under the group's lock,
-- and whoever ends a job asks after that: so no group with a free place is left waiting. Returns how many have become ready.
CREATE OR REPLACE FUNCTION holdfast_jobs.advance(of_queue text, groups text[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  most integer := coalesce((SELECT max_per_group FROM holdfast_jobs.queue WHERE name = of_queue), 1);
  one record;
  places integer;
  moved integer;
  total integer := 0;
BEGIN
  FOR one IN SELECT DISTINCT hashtext(of_queue || '/' || g) AS hash, g AS name FROM unnest(groups) AS g ORDER BY 1, 2 LOOP
    PERFORM pg_advisory_xact_lock(1212630084, one.hash);
    places := most - (SELECT count(*) FROM holdfast_jobs.job
                      WHERE queue = of_queue AND group_key = one.name AND group_key IS NOT NULL AND state IN (1, 2));
    IF places > 0 THEN
      WITH first AS MATERIALIZED (
        SELECT id FROM holdfast_jobs.job WHERE queue = of_queue AND group_key = one.name AND state = 7
        ORDER BY rank, run_at, id LIMIT places FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE holdfast_jobs.job SET state = 1 FROM first WHERE job.id = first.id;
      GET DIAGNOSTICS moved = ROW_COUNT;
      total := total + moved;
    END IF;
  END LOOP;
  RETURN total;
END $$;

-- Puts jobs that have come into the lines of their groups, and lets those go that may. Not many at once: each group is a lock.
CREATE OR REPLACE FUNCTION holdfast_jobs.admit(of_queue text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  groups text[];
BEGIN
  WITH arrived AS MATERIALIZED (
    SELECT id FROM holdfast_jobs.job WHERE queue = of_queue AND state = 6
    ORDER BY rank, run_at, id LIMIT 200 FOR NO KEY UPDATE SKIP LOCKED
  ), lined AS (
    UPDATE holdfast_jobs.job SET state = 7 FROM arrived WHERE job.id = arrived.id RETURNING group_key
  )
  SELECT array_agg(DISTINCT group_key) INTO groups FROM lined;
  IF groups IS NOT NULL THEN
    PERFORM holdfast_jobs.advance(of_queue, groups);
  END IF;
END $$;

-- Lets go on what waits for a worker that died after it had ended a job and before it could say so.
CREATE OR REPLACE FUNCTION holdfast_jobs.advance_all() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_sort = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  PERFORM holdfast_jobs.advance(each.queue, ARRAY[each.group_key]) FROM (
    WITH RECURSIVE line AS (
      (SELECT queue, group_key FROM holdfast_jobs.job WHERE state = 7 ORDER BY queue, group_key LIMIT 1)
      UNION ALL
      SELECT next.queue, next.group_key FROM line, LATERAL (
        SELECT job.queue, job.group_key FROM holdfast_jobs.job
        WHERE state = 7 AND (job.queue, job.group_key) > (line.queue, line.group_key)
        ORDER BY job.queue, job.group_key LIMIT 1) AS next
    )
    SELECT queue, group_key FROM line
    WHERE coalesce((SELECT max_per_group FROM holdfast_jobs.queue WHERE name = line.queue), 1) >
      (SELECT count(*) FROM holdfast_jobs.job
       WHERE job.queue = line.queue AND job.group_key = line.group_key AND job.group_key IS NOT NULL AND state IN (1, 2))
    LIMIT 200
  ) AS each;
END $$;

-- Takes up to so many ready jobs, the first first, for a worker that lives; first makes ready what is due, if asked. So many
-- of them begin at once, the others are prefetched.
-- Begins behind a place in the order, so as not to wade through what was taken before and is not yet vacuumed.
-- The worker's row is locked against a rescue, which would not see these jobs. The settings keep the plan on the index
-- whatever the statistics say; materialized, because otherwise more rows than the limit may be updated.
CREATE OR REPLACE FUNCTION holdfast_jobs.claim(
  claimer bigint, of_epoch integer, of_queue text, room integer, begins integer, makes_ready boolean,
  behind_rank smallint, behind_run_at timestamptz, behind_id bigint)
RETURNS TABLE (id bigint, token bigint, attempt smallint, max_attempts smallint, rank smallint, run_at timestamptz,
               payload text, group_key text, prefetched boolean, due_at timestamptz)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp ROWS 100
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  said holdfast_jobs.queue;
  most integer := room;
BEGIN
  SELECT * INTO said FROM holdfast_jobs.queue WHERE name = of_queue;
  IF said.paused THEN
    RETURN;
  END IF;
  IF said.max_running IS NOT NULL THEN
    -- One claim at a time: the next statement sees all that were before.
    PERFORM FROM holdfast_jobs.queue WHERE name = of_queue FOR NO KEY UPDATE;
    most := greatest(0, least(room, said.max_running - (
      SELECT count(*) FROM holdfast_jobs.worker JOIN holdfast_jobs.job ON job.worker = worker.id AND job.state = 2
      WHERE worker.queue = of_queue)));
  END IF;
  IF makes_ready THEN
    WITH due AS MATERIALIZED (
      SELECT job.id FROM holdfast_jobs.job
      WHERE queue = of_queue AND state = 0 AND run_at <= statement_timestamp()
      ORDER BY run_at LIMIT greatest(room, 1000) FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE holdfast_jobs.job SET state = CASE WHEN job.group_key IS NULL THEN 1 ELSE 6 END FROM due WHERE job.id = due.id;
    IF EXISTS (SELECT FROM holdfast_jobs.job WHERE queue = of_queue AND state = 6) THEN
      PERFORM holdfast_jobs.admit(of_queue);
    END IF;
  END IF;
  RETURN QUERY
  WITH self AS MATERIALIZED (
    SELECT worker.id FROM holdfast_jobs.worker
    WHERE worker.id = claimer AND epoch = of_epoch AND until > clock_timestamp() FOR KEY SHARE
  ), chosen AS MATERIALIZED (
    SELECT job.id FROM holdfast_jobs.job
    WHERE queue = of_queue AND state = 1 AND (SELECT count(*) FROM self) = 1
      AND (rank, run_at, job.id) > (behind_rank, behind_run_at, behind_id)
    ORDER BY rank, run_at, job.id LIMIT most FOR NO KEY UPDATE SKIP LOCKED
  ), numbered AS MATERIALIZED (
    SELECT chosen.id, row_number() OVER () > begins AS is_later FROM chosen
  )
  UPDATE holdfast_jobs.job
  SET state = 2, worker = claimer, token = nextval('holdfast_jobs.token'), attempt = job.attempt + 1,
      prefetched = is_later
  FROM numbered WHERE job.id = numbered.id
  RETURNING job.id, job.token, job.attempt, job.max_attempts, job.rank, job.run_at, job.payload::text, job.group_key,
            job.prefetched, job.due_at;
END $$;

-- What the worker prefetched may begin up to this token; that counts as an attempt from now on. False if it is too late.
CREATE OR REPLACE FUNCTION holdfast_jobs.begin(beginning bigint, mark bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  UPDATE holdfast_jobs.worker SET begun = mark WHERE id = beginning AND epoch >= 0 AND until > clock_timestamp();
  RETURN FOUND;
END $$;

-- The next five end claims, and return the tokens that still were the rows' own: any other changes nothing.
CREATE OR REPLACE FUNCTION holdfast_jobs.complete(ids bigint[], tokens bigint[], keeps boolean)
RETURNS SETOF bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
BEGIN
  IF NOT keeps THEN
    RETURN QUERY
    DELETE FROM holdfast_jobs.job USING unnest(ids, tokens) AS claim (id, token)
    WHERE job.id = claim.id AND job.token = claim.token RETURNING job.token;
  ELSE
    RETURN QUERY
    WITH done AS (
      DELETE FROM holdfast_jobs.job USING unnest(ids, tokens) AS claim (id, token)
      WHERE job.id = claim.id AND job.token = claim.token RETURNING job.*
    ), kept AS (
      INSERT INTO holdfast_jobs.finished
      SELECT id, queue, 3, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, NULL, payload,
             group_key, due_at
      FROM done
    )
    SELECT done.token FROM done;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION holdfast_jobs.retry(ids bigint[], tokens bigint[], delays bigint[], errors text[])
RETURNS SETOF bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  UPDATE holdfast_jobs.job
  SET state = CASE WHEN claim.delay > 0 THEN 0 WHEN group_key IS NULL THEN 1 ELSE 6 END,
      worker = NULL, token = NULL, error = claim.error,
      run_at = statement_timestamp() + claim.delay * interval '1 microsecond'
  FROM unnest(ids, tokens, delays, errors) AS claim (id, token, delay, error)
  WHERE job.id = claim.id AND job.token = claim.token RETURNING claim.token
$$;

CREATE OR REPLACE FUNCTION holdfast_jobs.bury(ids bigint[], tokens bigint[], errors text[])
RETURNS SETOF bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  WITH dead AS (
    DELETE FROM holdfast_jobs.job USING unnest(ids, tokens, errors) AS claim (id, token, error)
    WHERE job.id = claim.id AND job.token = claim.token RETURNING job.*, claim.error AS reason
  ), kept AS (
    INSERT INTO holdfast_jobs.finished
    SELECT id, queue, 4, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, reason, payload,
           group_key, due_at
    FROM dead
  )
  SELECT token FROM dead
$$;

-- As retry, but that was no attempt.
CREATE OR REPLACE FUNCTION holdfast_jobs.snooze(ids bigint[], tokens bigint[], delays bigint[])
RETURNS SETOF bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  UPDATE holdfast_jobs.job
  SET state = CASE WHEN claim.delay > 0 THEN 0 WHEN group_key IS NULL THEN 1 ELSE 6 END,
      worker = NULL, token = NULL, attempt = job.attempt - 1,
      run_at = statement_timestamp() + claim.delay * interval '1 microsecond'
  FROM unnest(ids, tokens, delays) AS claim (id, token, delay)
  WHERE job.id = claim.id AND job.token = claim.token RETURNING claim.token
$$;

-- Ends a claim whose handler hangs: as bury if that was the last attempt, otherwise as retry. Waits for no lock: returns
-- false if a transaction has the row, which may be the one in which the handler completes the job; null if the claim is gone.
CREATE OR REPLACE FUNCTION holdfast_jobs.time_out(one bigint, its_token bigint, delay bigint, reason text, is_last boolean)
RETURNS boolean LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM FROM holdfast_jobs.job WHERE id = one AND token = its_token FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT FROM holdfast_jobs.job WHERE id = one AND token = its_token) THEN false END;
  END IF;
  IF is_last THEN
    PERFORM holdfast_jobs.bury(ARRAY[one], ARRAY[its_token], ARRAY[reason]);
  ELSE
    PERFORM holdfast_jobs.retry(ARRAY[one], ARRAY[its_token], ARRAY[delay], ARRAY[reason]);
  END IF;
  RETURN true;
END $$;

-- Completes a job in a transaction of its handler, and tells which transaction that is; null if the claim is gone.
CREATE OR REPLACE FUNCTION holdfast_jobs.complete_within(one bigint, its_token bigint, keeps boolean) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM holdfast_jobs.complete(ARRAY[one], ARRAY[its_token], keeps);
  RETURN CASE WHEN FOUND THEN pg_current_xact_id()::text END;
END $$;

-- Which of these transactions were committed.
CREATE OR REPLACE FUNCTION holdfast_jobs.committed(transactions text[]) RETURNS SETOF text
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT each FROM unnest(transactions) AS each WHERE pg_xact_status(each::xid8) = 'committed'
$$;

-- Gives back what was claimed and not begun: that was no attempt.
CREATE OR REPLACE FUNCTION holdfast_jobs.release(ids bigint[], tokens bigint[])
RETURNS SETOF bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  UPDATE holdfast_jobs.job
  SET state = 1, worker = NULL, token = NULL, attempt = job.attempt - 1
  FROM unnest(ids, tokens) AS claim (id, token)
  WHERE job.id = claim.id AND job.token = claim.token RETURNING claim.token
$$;

CREATE OR REPLACE FUNCTION holdfast_jobs.register(of_queue text, called text, lease bigint) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO holdfast_jobs.worker
  VALUES (nextval('holdfast_jobs.worker_id'), of_queue, called, clock_timestamp(),
          clock_timestamp() + lease * interval '1 microsecond', 0) RETURNING id
$$;

-- Null if the worker is not there any more or its time is over: it has begun another life, or will. Otherwise which of
-- these claims are not there.
CREATE OR REPLACE FUNCTION holdfast_jobs.heartbeat(beating bigint, lease bigint, ids bigint[], tokens bigint[])
RETURNS bigint[] LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off AS $$
BEGIN
  UPDATE holdfast_jobs.worker SET until = clock_timestamp() + lease * interval '1 microsecond'
  WHERE id = beating AND epoch >= 0 AND until > clock_timestamp();
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN ARRAY(
    SELECT claim.token FROM unnest(ids, tokens) AS claim (id, token)
    WHERE NOT EXISTS (SELECT FROM holdfast_jobs.job WHERE job.id = claim.id AND job.token = claim.token));
END $$;

-- For a worker whose claim was not answered: gives back what it holds and does not know of, which was no attempt. The row
-- is locked until claims under way have ended, and the new epoch refuses those that come later. Null if it is not there.
CREATE OR REPLACE FUNCTION holdfast_jobs.disown(doubting bigint, known bigint[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  next_epoch integer;
BEGIN
  PERFORM FROM holdfast_jobs.worker WHERE id = doubting FOR UPDATE;
  UPDATE holdfast_jobs.worker SET epoch = epoch + 1 WHERE id = doubting AND epoch >= 0 RETURNING epoch INTO next_epoch;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE holdfast_jobs.job SET state = 1, worker = NULL, token = NULL, attempt = attempt - 1
  WHERE worker = doubting AND state = 2 AND token <> ALL (known);
  RETURN next_epoch;
END $$;

-- Takes the jobs of workers that are dead for good: back into the queue, or to the dead letters if it was their last try.
-- Not those whose rows are locked: they end with some handler's transaction, or in a later look if that is rolled back.
-- Until then their worker's row stays. What was prefetched and had not begun was no attempt.
CREATE OR REPLACE FUNCTION holdfast_jobs.take_from(gone bigint[])
RETURNS TABLE (job_id bigint, job_queue text, job_attempt smallint, is_dead boolean)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off AS $$
DECLARE
  taken bigint[];
BEGIN
  taken := ARRAY(SELECT id FROM holdfast_jobs.job WHERE worker = ANY (gone) AND state = 2 FOR NO KEY UPDATE SKIP LOCKED);
  RETURN QUERY
  WITH dead AS (
    DELETE FROM holdfast_jobs.job USING holdfast_jobs.worker
    WHERE job.id = ANY (taken) AND worker.id = job.worker AND attempt >= max_attempts AND (NOT prefetched OR token <= begun)
    RETURNING job.*
  )
  INSERT INTO holdfast_jobs.finished AS finished
  SELECT id, queue, 4, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, 'its worker died', payload,
         group_key, due_at
  FROM dead RETURNING finished.id, finished.queue, finished.attempt, true;
  RETURN QUERY
  UPDATE holdfast_jobs.job
  SET state = 1, worker = NULL, token = NULL,
      attempt = attempt - CASE WHEN prefetched AND token > begun THEN 1 ELSE 0 END,
      error = CASE WHEN prefetched AND token > begun THEN error ELSE 'its worker died' END
  FROM holdfast_jobs.worker WHERE job.id = ANY (taken) AND worker.id = job.worker
  RETURNING job.id, job.queue, job.attempt, false;
  DELETE FROM holdfast_jobs.worker
  WHERE id = ANY (gone) AND NOT EXISTS (SELECT FROM holdfast_jobs.job WHERE job.worker = worker.id AND job.state = 2);
END $$;

-- By whichever worker notices. Two statements, because only the second sees the last claims of those that the first marked.
CREATE OR REPLACE FUNCTION holdfast_jobs.rescue()
RETURNS TABLE (job_id bigint, job_queue text, job_attempt smallint, is_dead boolean)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone bigint[];
BEGIN
  WITH expired AS MATERIALIZED (
    SELECT id FROM holdfast_jobs.worker WHERE epoch < 0 OR until <= clock_timestamp() FOR UPDATE SKIP LOCKED
  ), marked AS (
    UPDATE holdfast_jobs.worker SET epoch = -1 FROM expired WHERE worker.id = expired.id RETURNING worker.id
  )
  SELECT array_agg(id) INTO gone FROM marked;
  IF gone IS NOT NULL THEN
    RETURN QUERY SELECT * FROM holdfast_jobs.take_from(gone);
  END IF;
  PERFORM holdfast_jobs.advance_all();
END $$;

CREATE OR REPLACE FUNCTION holdfast_jobs.leave(leaving bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM holdfast_jobs.worker WHERE id = leaving FOR UPDATE;
  UPDATE holdfast_jobs.worker SET epoch = -1 WHERE id = leaving;
  PERFORM FROM holdfast_jobs.take_from(ARRAY[leaving]);
END $$;

-- What it was: 0 scheduled, 1 ready, 2 running; null if there is no such job.
CREATE OR REPLACE FUNCTION holdfast_jobs.cancel(unwanted bigint) RETURNS smallint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  was holdfast_jobs.job;
BEGIN
  DELETE FROM holdfast_jobs.job WHERE id = unwanted RETURNING * INTO was;
  IF was.id IS NOT NULL THEN
    INSERT INTO holdfast_jobs.finished
    VALUES (was.id, was.queue, 5, was.rank, was.attempt, was.max_attempts, was.enqueued_at, statement_timestamp(),
            was.unique_key, was.error, was.payload, was.group_key, was.due_at);
  END IF;
  IF was.group_key IS NOT NULL THEN
    PERFORM holdfast_jobs.advance(was.queue, ARRAY[was.group_key]);
  END IF;
  RETURN was.state;
END $$;

-- Lets a job run that waits for its time; false if it does not.
CREATE OR REPLACE FUNCTION holdfast_jobs.run_now(wanted bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE holdfast_jobs.job
  SET state = CASE WHEN group_key IS NULL THEN 1 ELSE 6 END, run_at = statement_timestamp()
  WHERE id = wanted AND state = 0;
  RETURN FOUND;
END $$;

-- Dead letters go back into the queue, except those whose unique key has been taken by another job.
CREATE OR REPLACE FUNCTION holdfast_jobs.redrive(of_queue text, only_id bigint, most integer) RETURNS SETOF bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  WITH chosen AS MATERIALIZED (
    SELECT * FROM holdfast_jobs.finished
    WHERE state = 4 AND queue = of_queue AND (only_id IS NULL OR id = only_id)
    ORDER BY finished_at, id LIMIT most FOR UPDATE SKIP LOCKED
  ), back AS (
    INSERT INTO holdfast_jobs.job
      (id, queue, state, rank, max_attempts, run_at, enqueued_at, unique_key, error, payload, group_key, due_at)
    SELECT id, queue, CASE WHEN group_key IS NULL THEN 1 ELSE 6 END, rank, max_attempts, statement_timestamp(), enqueued_at,
           unique_key, error, payload, group_key, due_at
    FROM chosen ORDER BY queue, unique_key, id
    ON CONFLICT (queue, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING id
  )
  DELETE FROM holdfast_jobs.finished USING back WHERE finished.id = back.id RETURNING finished.id
$$;

-- Deletes up to so many finished rows of this state that are older than so many microseconds.
CREATE OR REPLACE FUNCTION holdfast_jobs.forget(of_state smallint, age bigint, most integer) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  count integer;
BEGIN
  WITH old AS MATERIALIZED (
    SELECT id FROM holdfast_jobs.finished
    WHERE state = of_state AND finished_at <= statement_timestamp() - age * interval '1 microsecond'
    ORDER BY finished_at, id LIMIT most FOR UPDATE SKIP LOCKED
  )
  DELETE FROM holdfast_jobs.finished USING old WHERE finished.id = old.id;
  GET DIAGNOSTICS count = ROW_COUNT;
  RETURN count;
END $$;

-- Sets what is said of a queue; what is null stays as it is, and a limit of 0 is none.
CREATE OR REPLACE FUNCTION holdfast_jobs.say(of_queue text, pauses boolean, running integer, per_group integer) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO holdfast_jobs.queue VALUES (of_queue, coalesce(pauses, false), nullif(running, 0), coalesce(per_group, 1))
  ON CONFLICT (name) DO UPDATE
  SET paused = coalesce(pauses, queue.paused), max_per_group = coalesce(per_group, queue.max_per_group),
      max_running = CASE WHEN running IS NULL THEN queue.max_running ELSE nullif(running, 0) END;
  PERFORM holdfast_jobs.advance_all();
END $$;

-- Sets a recurring job. If there was one of that name with the same schedule, its times stay.
CREATE OR REPLACE FUNCTION holdfast_jobs.schedule(
  called text, of_queue text, scheduled text, first timestamptz, missed integer, its_rank smallint, attempts smallint,
  key text, its_payload text, its_group text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO holdfast_jobs.recurring AS old
  VALUES (called, of_queue, scheduled, first, NULL, missed, its_rank, attempts, key, its_payload::jsonb, its_group)
  ON CONFLICT (name) DO UPDATE
  SET queue = excluded.queue, schedule = excluded.schedule, most_missed = excluded.most_missed, rank = excluded.rank,
      max_attempts = excluded.max_attempts, unique_key = excluded.unique_key, payload = excluded.payload,
      group_key = excluded.group_key,
      next_at = CASE WHEN old.schedule = excluded.schedule THEN old.next_at ELSE excluded.next_at END,
      last_job = CASE WHEN old.schedule = excluded.schedule THEN old.last_job END
$$;

-- The recurring jobs of a queue that are due, or have a run that has ended; and the one that is due after them.
CREATE OR REPLACE FUNCTION holdfast_jobs.recurring_due(of_queue text)
RETURNS TABLE (called text, scheduled text, next timestamptz, ended bigint, missed integer, now timestamptz)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off AS $$
  SELECT name, schedule, next_at, last_job, most_missed, clock_timestamp() FROM holdfast_jobs.recurring
  WHERE queue = of_queue AND (last_job IS NULL OR NOT EXISTS (SELECT FROM holdfast_jobs.job WHERE id = last_job))
  ORDER BY last_job IS NULL, next_at LIMIT 100
$$;

-- Enqueues a recurring job for each of these times, and says when it is due next. It does so once, however many workers ask
-- at once: all of them know what they saw. Of a job that waits for its run to end, that run is remembered. Returns how many
-- jobs there are more.
CREATE OR REPLACE FUNCTION holdfast_jobs.recur(
  called text, seen timestamptz, ended bigint, times timestamptz[], following timestamptz, waits boolean) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  one holdfast_jobs.recurring;
  added bigint[];
BEGIN
  UPDATE holdfast_jobs.recurring SET next_at = following, last_job = NULL
  WHERE name = called AND next_at = seen AND last_job IS NOT DISTINCT FROM ended RETURNING * INTO one;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  WITH new AS (
    INSERT INTO holdfast_jobs.job
      (id, queue, state, rank, max_attempts, run_at, enqueued_at, unique_key, payload, group_key, due_at)
    SELECT nextval('holdfast_jobs.job_id'), one.queue, CASE WHEN one.group_key IS NULL THEN 1 ELSE 6 END, one.rank,
           one.max_attempts, statement_timestamp(), statement_timestamp(), one.unique_key, one.payload, one.group_key, due
    FROM unnest(times) AS due
    ON CONFLICT (queue, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING id
  )
  SELECT array_agg(id) INTO added FROM new;
  IF waits AND added IS NOT NULL THEN
    UPDATE holdfast_jobs.recurring SET last_job = added[1] WHERE name = called;
  END IF;
  RETURN coalesce(cardinality(added), 0);
END $$;

-- What clients of version 1 ask for; they accept no other number.
CREATE OR REPLACE FUNCTION holdfast_jobs.version() RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS 'SELECT 1';

-- The versions that this schema has had. Clients from oldest_client on work with it. Newer ones bring it up to date.
CREATE TABLE IF NOT EXISTS holdfast_jobs.schema_version (
  version       integer PRIMARY KEY,
  oldest_client integer NOT NULL,
  since         timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON holdfast_jobs.schema_version TO PUBLIC;
INSERT INTO holdfast_jobs.schema_version VALUES (2, 1) ON CONFLICT DO NOTHING;
