// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
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
  private final Function<Set<HostAndPort>, CompletableFuture<?>> survey;
  private final Set<HostAndPort> trusted = new LinkedHashSet<>();
  private @Nullable CompletableFuture<?> reading;
  private long readNanos;
  private boolean isDue;
  private boolean closed;

  /**
   * @param survey asks the nodes of the cluster, and among them in any case those that are given
   */
  SlotSurveys(BackendContext context, Function<Set<HostAndPort>, CompletableFuture<?>> survey) {
    this.context = context;
    this.survey = survey;
  }

  /** Reads the map now, unless it is being read. */
  synchronized CompletableFuture<?> now() {
    CompletableFuture<?> running = running();
    if (running != null) {
      return running;
    }
    readNanos = context.now().monotonicNanos();
    Set<HostAndPort> asked = Set.copyOf(trusted);
    trusted.clear();
    CompletableFuture<?> started = survey.apply(asked);
    reading = started;
    return started;
  }

  /**
   * Reads the map as soon as the pace allows it.
   *
   * @param named nodes to which redirections led, which are asked in any case
   */
  synchronized void soon(HostAndPort... named) {
    trusted.addAll(List.of(named));
    if (isDue || closed) {
      return;
    }
    isDue = true;
    long passedNanos = context.now().monotonicNanos() - readNanos;
    long waitNanos = reading == null ? 0 : Math.max(0, PACE.toNanos() - passedNanos);
    context.after(Duration.ofNanos(waitNanos), this::readDue);
  }

  /** A reading that runs may have asked before what this one is about: it is awaited. */
  private synchronized void readDue() {
    CompletableFuture<?> running = running();
    if (running != null) {
      Answers.ignore(running.whenComplete((read, failure) -> readDue()));
      return;
    }
    isDue = false;
    if (!closed) {
      Answers.ignore(now());
    }
  }

  private @Nullable CompletableFuture<?> running() {
    CompletableFuture<?> last = reading;
    return last == null || last.isDone() ? null : last;
  }

  synchronized void close() {
    closed = true;
  }
}
