// SPDX-License-Identifier: Apache-2.0
/** The runtime behind the API, and the memory and file backends. Not exported. */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
