// SPDX-License-Identifier: Apache-2.0
/** Backends that are broken on purpose, each in one way: the contract must reject every one. */
@NullMarked
package io.holdfast.testkit.broken;

import org.jspecify.annotations.NullMarked;
