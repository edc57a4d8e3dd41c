// SPDX-License-Identifier: Apache-2.0
/** What the author of a backend implements, and what core offers to it. */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
