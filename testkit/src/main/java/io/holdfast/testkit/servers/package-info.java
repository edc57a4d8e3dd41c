// SPDX-License-Identifier: Apache-2.0
/** Servers of one's own for tests, as child processes, and what to do to them. */
@NullMarked
package io.holdfast.testkit.servers;

import org.jspecify.annotations.NullMarked;
