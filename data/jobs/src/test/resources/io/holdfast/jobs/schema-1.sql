-- SPDX-License-Identifier: Apache-2.0
-- What the job queue keeps in PostgreSQL, in a schema of its own. Can be run again: it changes nothing that is there.
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

CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.job_id;
CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.worker_id;

-- Fencing tokens: every claim of any job has a greater one than all claims that were committed before it began.
CREATE SEQUENCE IF NOT EXISTS holdfast_jobs.token;

-- What is to be done, and nothing else: a job that is done leaves this table, so that it stays small.
CREATE TABLE IF NOT EXISTS holdfast_jobs.job (
  id           bigint PRIMARY KEY,
  queue        text COLLATE "C" NOT NULL,
  state        smallint NOT NULL,        -- 0 scheduled, 1 ready, 2 running
  rank         smallint NOT NULL,        -- the priority with its sign changed: what comes first is less
  attempt      smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL,
  run_at       timestamptz NOT NULL,     -- not before; also the order among equals
  enqueued_at  timestamptz NOT NULL,
  worker       bigint,                   -- the claim: null unless it runs
  token        bigint,                   -- the claim's token: null unless it runs
  unique_key   text COLLATE "C",
  error        text,                     -- why the last attempt failed
  payload      jsonb NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1);

CREATE INDEX IF NOT EXISTS job_ready ON holdfast_jobs.job (queue, rank, run_at, id) WHERE state = 1;
CREATE INDEX IF NOT EXISTS job_due ON holdfast_jobs.job (queue, run_at) WHERE state = 0;
CREATE INDEX IF NOT EXISTS job_held ON holdfast_jobs.job (worker) WHERE state = 2;
CREATE UNIQUE INDEX IF NOT EXISTS job_unique ON holdfast_jobs.job (queue, unique_key) WHERE unique_key IS NOT NULL;

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
  payload      jsonb NOT NULL
);

CREATE INDEX IF NOT EXISTS finished_age ON holdfast_jobs.finished (state, finished_at, id);

-- Who lives. One row for a worker, however many jobs it has; its updates stay on the page.
CREATE TABLE IF NOT EXISTS holdfast_jobs.worker (
  id    bigint PRIMARY KEY,
  queue text COLLATE "C" NOT NULL,
  name  text NOT NULL,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,            -- after this anybody may take its jobs away
  epoch integer NOT NULL DEFAULT 0       -- raised when it does not know what it has claimed
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 500);

-- Some functions ask for generic plans: with others the planner would begin anew in every call, for no better plan.

-- Null for a job whose unique key is taken. The hints are the queues whose workers are to be woken. Inserted in the order of
-- keys, so that two who enqueue the same keys wait for each other in one direction only.
CREATE OR REPLACE FUNCTION holdfast_jobs.enqueue(
  queues text[], ranks smallint[], attempts smallint[], delays bigint[], times timestamptz[], keys text[], payloads text[],
  hints text[]) RETURNS SETOF bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT nextval('holdfast_jobs.job_id') AS id, job.*,
           greatest(coalesce(due, statement_timestamp()), statement_timestamp()) + delay * interval '1 microsecond' AS run_at
    FROM unnest(queues, ranks, attempts, delays, times, keys, payloads)
      WITH ORDINALITY AS job (queue, rank, max_attempts, delay, due, unique_key, payload, place)
  ), added AS (
    INSERT INTO holdfast_jobs.job AS job
      (id, queue, state, rank, max_attempts, run_at, enqueued_at, unique_key, payload)
    SELECT a.id, a.queue, CASE WHEN a.run_at <= statement_timestamp() THEN 1 ELSE 0 END, a.rank, a.max_attempts, a.run_at,
           statement_timestamp(), a.unique_key, a.payload::jsonb
    FROM asked AS a ORDER BY a.unique_key, a.place
    ON CONFLICT (queue, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING job.id
  )
  SELECT added.id FROM asked LEFT JOIN added ON added.id = asked.id ORDER BY asked.place;
  PERFORM pg_notify('holdfast_jobs', hint) FROM unnest(hints) AS hint;
END $$;

-- Takes up to so many ready jobs, the first first, for a worker that lives; first makes ready what is due, if asked.
-- Begins behind a place in the order, so as not to wade through what was taken before and is not yet vacuumed.
-- The worker's row is locked against a rescue, which would not see these jobs. The settings keep the plan on the index
-- whatever the statistics say; materialized, because otherwise more rows than the limit may be updated.
CREATE OR REPLACE FUNCTION holdfast_jobs.claim(
  claimer bigint, of_epoch integer, of_queue text, room integer, makes_ready boolean,
  behind_rank smallint, behind_run_at timestamptz, behind_id bigint)
RETURNS TABLE (id bigint, token bigint, attempt smallint, max_attempts smallint, rank smallint, run_at timestamptz,
               payload text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp ROWS 100
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  IF makes_ready THEN
    WITH due AS MATERIALIZED (
      SELECT job.id FROM holdfast_jobs.job
      WHERE queue = of_queue AND state = 0 AND run_at <= statement_timestamp()
      ORDER BY run_at LIMIT greatest(room, 1000) FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE holdfast_jobs.job SET state = 1 FROM due WHERE job.id = due.id;
  END IF;
  RETURN QUERY
  WITH self AS MATERIALIZED (
    SELECT worker.id FROM holdfast_jobs.worker
    WHERE worker.id = claimer AND epoch = of_epoch AND until > clock_timestamp() FOR KEY SHARE
  ), chosen AS MATERIALIZED (
    SELECT job.id FROM holdfast_jobs.job
    WHERE queue = of_queue AND state = 1 AND (SELECT count(*) FROM self) = 1
      AND (rank, run_at, job.id) > (behind_rank, behind_run_at, behind_id)
    ORDER BY rank, run_at, job.id LIMIT room FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE holdfast_jobs.job
  SET state = 2, worker = claimer, token = nextval('holdfast_jobs.token'), attempt = job.attempt + 1
  FROM chosen WHERE job.id = chosen.id
  RETURNING job.id, job.token, job.attempt, job.max_attempts, job.rank, job.run_at, job.payload::text;
END $$;

-- The next four end claims, and return the tokens that still were the rows' own: any other changes nothing.
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
      SELECT id, queue, 3, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, NULL, payload
      FROM done
    )
    SELECT done.token FROM done;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION holdfast_jobs.retry(ids bigint[], tokens bigint[], delays bigint[], errors text[])
RETURNS SETOF bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
  UPDATE holdfast_jobs.job
  SET state = 0, worker = NULL, token = NULL, error = claim.error,
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
    SELECT id, queue, 4, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, reason, payload
    FROM dead
  )
  SELECT token FROM dead
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
  WHERE id = beating AND until > clock_timestamp();
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
  UPDATE holdfast_jobs.worker SET epoch = epoch + 1 WHERE id = doubting RETURNING epoch INTO next_epoch;
  UPDATE holdfast_jobs.job SET state = 1, worker = NULL, token = NULL, attempt = attempt - 1
  WHERE worker = doubting AND state = 2 AND token <> ALL (known);
  RETURN next_epoch;
END $$;

-- Takes the jobs of workers that were just removed: back into the queue, or to the dead letters if it was their last try.
-- Rows in the order of their ids: whoever completes them meanwhile does the same.
CREATE OR REPLACE FUNCTION holdfast_jobs.take_from(gone bigint[])
RETURNS TABLE (job_id bigint, job_queue text, job_attempt smallint, is_dead boolean)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM FROM holdfast_jobs.job WHERE worker = ANY (gone) AND state = 2 ORDER BY id FOR NO KEY UPDATE;
  RETURN QUERY
  WITH dead AS (
    DELETE FROM holdfast_jobs.job WHERE worker = ANY (gone) AND state = 2 AND attempt >= max_attempts RETURNING *
  )
  INSERT INTO holdfast_jobs.finished AS finished
  SELECT id, queue, 4, rank, attempt, max_attempts, enqueued_at, statement_timestamp(), unique_key, 'its worker died', payload
  FROM dead RETURNING finished.id, finished.queue, finished.attempt, true;
  RETURN QUERY
  UPDATE holdfast_jobs.job SET state = 1, worker = NULL, token = NULL, error = 'its worker died'
  WHERE worker = ANY (gone) AND state = 2 RETURNING job.id, job.queue, job.attempt, false;
END $$;

-- By whichever worker notices. Two statements, because only the second sees the last claims of those that the first removed.
CREATE OR REPLACE FUNCTION holdfast_jobs.rescue()
RETURNS TABLE (job_id bigint, job_queue text, job_attempt smallint, is_dead boolean)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone bigint[];
BEGIN
  WITH expired AS MATERIALIZED (
    SELECT id FROM holdfast_jobs.worker WHERE until <= clock_timestamp() FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM holdfast_jobs.worker USING expired WHERE worker.id = expired.id RETURNING worker.id
  )
  SELECT array_agg(id) INTO gone FROM removed;
  IF gone IS NOT NULL THEN
    RETURN QUERY SELECT * FROM holdfast_jobs.take_from(gone);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION holdfast_jobs.leave(leaving bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM holdfast_jobs.worker WHERE id = leaving;
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
            was.unique_key, was.error, was.payload);
  END IF;
  RETURN was.state;
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
      (id, queue, state, rank, max_attempts, run_at, enqueued_at, unique_key, error, payload)
    SELECT id, queue, 1, rank, max_attempts, statement_timestamp(), enqueued_at, unique_key, error, payload FROM chosen
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

CREATE OR REPLACE FUNCTION holdfast_jobs.version() RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS 'SELECT 1';
