// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;

/** Fencing guards and optimistic concurrency on JDBC. */
@NullMarked
module io.holdfast.jdbc {
  requires transitive io.holdfast.core;
  requires transitive java.sql;
  requires transitive org.jspecify;
  requires static spring.tx;

  exports io.holdfast.jdbc;
}
