// SPDX-License-Identifier: Apache-2.0
/** What a lock costs, in time and memory. {@code ./run} runs all of it. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
