// SPDX-License-Identifier: Apache-2.0
/** What users type: locks, leases, fencing tokens, and the outcomes of asking for them. */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
