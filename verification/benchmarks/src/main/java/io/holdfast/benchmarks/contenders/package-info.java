// SPDX-License-Identifier: Apache-2.0
/** Those who compete: Holdfast, its peers, and what is written by hand. */
@NullMarked
package io.holdfast.benchmarks.contenders;

import org.jspecify.annotations.NullMarked;
