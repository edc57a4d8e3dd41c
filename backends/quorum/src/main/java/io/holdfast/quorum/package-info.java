// SPDX-License-Identifier: Apache-2.0
/** Locks on a majority of independent stores. */
@NullMarked
package io.holdfast.quorum;

import org.jspecify.annotations.NullMarked;
