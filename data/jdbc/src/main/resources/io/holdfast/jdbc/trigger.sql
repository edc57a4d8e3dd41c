
-- Refuses writes of transactions that did not enter the guard of this resource, whoever makes them. Its search path is
-- its own: what another role puts into a schema of the writer's path is not run.
CREATE OR REPLACE FUNCTION holdfast.require_token() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  resource_name text := TG_ARGV[0];
  presented bigint := nullif(current_setting('holdfast.fence_' || md5(resource_name), true), '')::bigint;
  newest bigint := (SELECT token FROM holdfast.fence WHERE resource = resource_name);
BEGIN
  IF presented IS NULL OR newest IS NULL OR presented > newest THEN
    RAISE EXCEPTION 'no fencing token was presented at "%" for a write to %', resource_name, TG_RELID::regclass
      USING ERRCODE = 'HF001', HINT = 'Enter the guard of this resource first, in the same transaction.';
  END IF;
  IF presented < newest THEN
    RAISE EXCEPTION 'token % is stale at "%", which has seen token %', presented, resource_name, newest
      USING ERRCODE = 'HF002', DETAIL = newest::text;
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; -- The row as it is; a statement has none.
END
$$;

-- A table, its partitions, and the tables that inherit from it.
CREATE OR REPLACE FUNCTION holdfast.guarded_tree(root regclass) RETURNS SETOF regclass
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE tree AS (
    SELECT root::oid AS id UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = id)
  SELECT id::regclass FROM tree
$$;

-- Puts a table behind the guard of a resource, with its partitions and the tables that inherit from it: writes may name
-- them too. May be repeated, and has to be when a table is made that inherits.
CREATE OR REPLACE FUNCTION holdfast.guard_table(guarded regclass, resource_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  member regclass;
  other text;
BEGIN
  FOR member IN SELECT * FROM holdfast.guarded_tree(guarded) LOOP
    SELECT convert_from(substr(tgargs, 1, length(tgargs) - 1), getdatabaseencoding()) INTO other FROM pg_trigger
    WHERE tgrelid = member AND tgname IN ('holdfast_fence', 'holdfast_fence_row');
    IF other <> resource_name THEN
      RAISE EXCEPTION 'table % is behind the guard of "%", and cannot be put behind that of "%"', member, other, resource_name
        USING ERRCODE = 'HF003',
          HINT = format('A table has one guard. To change it, first: SELECT holdfast.unguard_table(%L);', member);
    END IF;
    -- For each statement: cheaper than for each row, and TRUNCATE has no rows.
    EXECUTE format(
      'CREATE OR REPLACE TRIGGER holdfast_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
       FOR EACH STATEMENT EXECUTE FUNCTION holdfast.require_token(%L)', member, resource_name);
  END LOOP;
  -- For each row of a partitioned table: this trigger alone passes on to partitions that are made or attached later.
  IF (SELECT relkind = 'p' FROM pg_class WHERE oid = guarded)
    AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = guarded AND tgname = 'holdfast_fence_row') THEN
    EXECUTE format(
      'CREATE TRIGGER holdfast_fence_row BEFORE INSERT OR UPDATE OR DELETE ON %s
       FOR EACH ROW EXECUTE FUNCTION holdfast.require_token(%L)', guarded, resource_name);
  END IF;
END
$$;

-- Takes a table out from behind its guard, with its partitions and the tables that inherit from it.
CREATE OR REPLACE FUNCTION holdfast.unguard_table(guarded regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  member regclass;
BEGIN
  EXECUTE format('DROP TRIGGER IF EXISTS holdfast_fence_row ON %s', guarded);
  FOR member IN SELECT * FROM holdfast.guarded_tree(guarded) LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS holdfast_fence ON %s', member);
  END LOOP;
END
$$;
