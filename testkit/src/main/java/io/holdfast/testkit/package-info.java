// SPDX-License-Identifier: Apache-2.0
/** The contract of a backend, as tests; and time and faults for tests of what uses locks. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
