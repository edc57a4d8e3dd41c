// SPDX-License-Identifier: Apache-2.0
/** What a job costs, beside other queues in PostgreSQL. */
@NullMarked
package io.holdfast.benchmarks.jobs;

import org.jspecify.annotations.NullMarked;
