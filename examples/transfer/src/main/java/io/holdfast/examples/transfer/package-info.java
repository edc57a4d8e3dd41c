// SPDX-License-Identifier: Apache-2.0
/** Money that moves between two accounts, under a lock and behind a guard. */
@NullMarked
package io.holdfast.examples.transfer;

import org.jspecify.annotations.NullMarked;
