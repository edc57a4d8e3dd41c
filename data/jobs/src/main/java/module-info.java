// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** A job queue in PostgreSQL whose claims are leases with fencing tokens. */
@NullMarked
@SuppressWarnings("requires-automatic") // The driver has no module descriptor, but a fixed name.
module io.holdfast.jobs {
  requires transitive io.holdfast;
  requires transitive io.holdfast.jdbc;
  requires transitive java.sql;
  requires static org.checkerframework.checker.qual;
  requires static org.postgresql.jdbc;
  requires org.slf4j;

  exports io.holdfast.jobs;
}
