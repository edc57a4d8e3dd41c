// SPDX-License-Identifier: Apache-2.0
/**
 * Real PostgreSQL servers and poolers for tests, as child processes on free ports of the loopback
 * interface.
 */
@NullMarked
package io.holdfast.testkit.postgresql;

import org.jspecify.annotations.NullMarked;
