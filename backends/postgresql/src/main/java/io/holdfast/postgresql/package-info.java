// SPDX-License-Identifier: Apache-2.0
/** Locks in PostgreSQL: advisory locks, transaction-scoped locks, and a table of leases. */
@NullMarked
package io.holdfast.postgresql;

import org.jspecify.annotations.NullMarked;
