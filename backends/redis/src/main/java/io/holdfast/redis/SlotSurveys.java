// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Has the map of slots read anew: one reading at a time, and however many requests fail, one a
 * second.
 */
final class SlotSurveys {
  private static final Duration PACE = Duration.ofSeconds(1);

  private final BackendContext context;
  private final Function<List<HostAndPort>, CompletableFuture<?>> survey;
  private final Set<HostAndPort> better = new LinkedHashSet<>();
  private @Nullable CompletableFuture<?> reading;
  private long readNanos;
  private boolean isDue;
  private boolean closed;

  /**
   * @param survey asks the nodes of the cluster, first those that are given
   */
  SlotSurveys(BackendContext context, Function<List<HostAndPort>, CompletableFuture<?>> survey) {
    this.context = context;
    this.survey = survey;
  }

  /** Reads the map now, unless it is being read. */
  CompletableFuture<?> now() {
    List<HostAndPort> first;
    synchronized (this) {
      CompletableFuture<?> running = reading;
      if (running != null && !running.isDone()) {
        return running;
      }
      readNanos = context.now().monotonicNanos();
      first = new ArrayList<>(better);
      better.clear();
      CompletableFuture<?> started = survey.apply(first);
      reading = started;
      return started;
    }
  }

  /**
   * Reads the map as soon as the pace allows it.
   *
   * @param newer nodes that are known to be newer than others, which are asked in any case
   */
  synchronized void soon(HostAndPort... newer) {
    better.addAll(List.of(newer));
    if (isDue || closed) {
      return;
    }
    isDue = true;
    long passedNanos = context.now().monotonicNanos() - readNanos;
    long waitNanos = reading == null ? 0 : Math.max(0, PACE.toNanos() - passedNanos);
    context.after(Duration.ofNanos(waitNanos), this::readDue);
  }

  private void readDue() {
    synchronized (this) {
      isDue = false;
      if (closed) {
        return;
      }
    }
    Answers.ignore(now());
  }

  synchronized void close() {
    closed = true;
  }
}
