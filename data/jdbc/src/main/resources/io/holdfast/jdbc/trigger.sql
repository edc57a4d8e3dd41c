
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
  RETURN NULL;
END
$$;
