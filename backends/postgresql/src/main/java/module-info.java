// SPDX-License-Identifier: Apache-2.0
import io.holdfast.postgresql.PostgresProvider;
import io.holdfast.spi.BackendProvider;
import org.jspecify.annotations.NullMarked;

/** Locks in PostgreSQL: advisory locks, transaction-scoped locks, and a table of leases. */
@NullMarked
@SuppressWarnings("requires-automatic") // The driver has no module descriptor, but a fixed name.
module io.holdfast.postgresql {
  requires transitive io.holdfast;
  requires transitive java.sql;
  requires static org.checkerframework.checker.qual;
  requires org.postgresql.jdbc;
  requires org.slf4j;

  exports io.holdfast.postgresql;

  provides BackendProvider with
      PostgresProvider;
}
