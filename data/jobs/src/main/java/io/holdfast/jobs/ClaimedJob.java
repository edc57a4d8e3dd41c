// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of a claim. */
record ClaimedJob(
    long id,
    long token,
    int attempt,
    int maxAttempts,
    String payload,
    @Nullable String group,
    boolean isPrefetched,
    @Nullable Instant due) {}
