// SPDX-License-Identifier: Apache-2.0
/** Real Redis servers for tests, as child processes on free ports of the loopback interface. */
@NullMarked
package io.holdfast.testkit.redis;

import org.jspecify.annotations.NullMarked;
