// SPDX-License-Identifier: Apache-2.0
/** Locks in Redis: one server, Sentinel or Cluster. */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
