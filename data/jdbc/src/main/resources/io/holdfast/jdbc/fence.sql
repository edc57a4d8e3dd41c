-- SPDX-License-Identifier: Apache-2.0
-- The newest token that each guarded resource has seen. Who writes under a guard needs USAGE on the
-- schema, and SELECT, INSERT and UPDATE on the table.
CREATE SCHEMA IF NOT EXISTS holdfast;

-- Rows are updated by every guarded transaction: room for the new version on the same page.
CREATE TABLE IF NOT EXISTS holdfast.fence (
  resource text PRIMARY KEY,
  token bigint NOT NULL CHECK (token > 0)
) WITH (fillfactor = 50);
