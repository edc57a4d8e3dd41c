// SPDX-License-Identifier: Apache-2.0
/**
 * At the database: {@linkplain io.holdfast.jdbc.FencingGuard guards} that refuse a holder which was
 * paused past its lease, and {@linkplain io.holdfast.jdbc.Optimistic optimistic concurrency} for
 * work that needs no lock at all.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
