// SPDX-License-Identifier: Apache-2.0
/** A deterministic simulation of the runtime: many clients, one store, one thread, one seed. */
@NullMarked
package io.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
