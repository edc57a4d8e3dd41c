// SPDX-License-Identifier: Apache-2.0
/** What is measured, one class for each workload, with the figures to reach. */
@NullMarked
package io.holdfast.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
