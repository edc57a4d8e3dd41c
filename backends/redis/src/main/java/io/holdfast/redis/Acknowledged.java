// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.List;

/**
 * The reply of a script, and whether as many replicas as are required have acknowledged what it
 * wrote.
 */
record Acknowledged(List<Object> reply, boolean byReplicas) {}
