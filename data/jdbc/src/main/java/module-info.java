// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** Fencing guards at the database, and optimistic concurrency. */
@NullMarked
@SuppressWarnings("requires-automatic") // Spring has no module descriptor, but a fixed name.
module io.holdfast.jdbc {
  requires transitive io.holdfast;
  requires transitive java.sql;
  requires static spring.tx;

  exports io.holdfast.jdbc;
}
