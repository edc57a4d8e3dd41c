// SPDX-License-Identifier: Apache-2.0
/** How it is measured: threads, counters, medians, tables. */
@NullMarked
package io.holdfast.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
