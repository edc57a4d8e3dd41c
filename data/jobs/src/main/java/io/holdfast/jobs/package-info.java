// SPDX-License-Identifier: Apache-2.0
/**
 * A job queue in PostgreSQL: {@linkplain io.holdfast.jobs.Jobs enqueued} with the data that they
 * are about, run by {@linkplain io.holdfast.jobs.Worker workers} that hold their jobs as leases,
 * and completed by nobody but the one whose claim it is.
 */
@NullMarked
package io.holdfast.jobs;

import org.jspecify.annotations.NullMarked;
