// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What the builder was told, and the defaults for the rest. */
record Settings(
    Duration leaseTime,
    @Nullable Duration maxHold,
    Pacing pacing,
    int passes,
    Duration passTime,
    Duration shutdownGrace,
    Waiting waiting,
    String correlationKey,
    List<LockListener> listeners,
    Executor callbacks) {}
