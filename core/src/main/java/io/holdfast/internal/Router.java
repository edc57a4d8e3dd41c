// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the backend sees of us: one map from holder to attempt or hold, by which its signals find
 * whom they concern. A signal for a holder that is not there any more is ignored: whoever left has
 * sent a release.
 */
final class Router implements BackendContext {
  private final TimeSource time;
  private final Origin origin;
  private final RandomGenerator random;
  private final Map<Holder, Timetable.Entry> places = new ConcurrentHashMap<>();
  private final Map<String, Set<Attempt>> waiting = new ConcurrentHashMap<>();
  private final ThreadLocal<Boolean> callerWaits = new ThreadLocal<>();
  private volatile @Nullable Runnable whenEmpty;

  Router(TimeSource time, Origin origin, RandomGenerator random) {
    this.time = time;
    this.origin = origin;
    this.random = random;
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public Moment now() {
    return time.now();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    time.after(delay, task);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void granted(Holder holder, Granted grant) {
    if (places.get(holder) instanceof Attempt attempt) {
      attempt.granted(grant);
    }
  }

  /**
   * Asks for the one that has waited longest: if it is not granted, neither are those behind it. If
   * it is, and others may hold the lock beside it, the next one asks.
   */
  @Override
  public void retry(String name) {
    List<Attempt> first = new ArrayList<>(1);
    waiting.computeIfPresent(
        name,
        (unused, attempts) -> {
          first.add(attempts.iterator().next());
          return attempts;
        });
    first.forEach(Attempt::retry);
  }

  @Override
  public void lost(Holder holder, LossCause cause) {
    if (places.get(holder) instanceof Attempt attempt) {
      attempt.lost(cause);
    }
    // Looked up anew: the attempt may have been granted, and replaced by its hold, just now.
    if (places.get(holder) instanceof LiveHold hold) {
      hold.lost(cause);
    }
  }

  /**
   * Later, because it asks the backend for the lanes of its locks, and signals do not call back.
   */
  @Override
  public void shortened(Object lane, Duration by) {
    time.after(
        Duration.ZERO,
        () -> {
          for (Timetable.Entry place : places.values()) {
            if (place instanceof LiveHold hold) {
              hold.shortened(lane, by);
            }
          }
        });
  }

  @Override
  public boolean callerWaits() {
    boolean waits = callerWaits.get() != null;
    if (waits) {
      callerWaits.remove();
    }
    return waits;
  }

  /** Begins a request whose answer the calling thread is going to wait for. */
  <T> T whileCallerWaits(Supplier<T> begin) {
    callerWaits.set(true);
    try {
      return begin.get();
    } finally {
      callerWaits.remove();
    }
  }

  void grantedOnAsking(Hold hold) {
    if (!(hold.mode() instanceof Mode.Exclusive)) {
      retry(hold.name());
    }
  }

  void add(Holder holder, Timetable.Entry place) {
    places.put(holder, place);
  }

  boolean knows(Holder holder) {
    return places.containsKey(holder);
  }

  void remove(Holder holder, Timetable.Entry place) {
    places.remove(holder, place);
    Runnable task = whenEmpty;
    if (task != null && places.isEmpty()) {
      task.run();
    }
  }

  /** Runs the task each time when nothing is held or asked for any more, from now on. */
  void whenEmpty(Runnable task) {
    whenEmpty = task;
    if (places.isEmpty()) {
      task.run();
    }
  }

  void waiting(Attempt attempt) {
    waiting.compute(
        attempt.hold().name(),
        (unused, known) -> {
          Set<Attempt> attempts = known == null ? new LinkedHashSet<>() : known;
          attempts.add(attempt);
          return attempts;
        });
  }

  void waitsNoMore(Attempt attempt) {
    waiting.computeIfPresent(
        attempt.hold().name(),
        (unused, attempts) -> {
          attempts.remove(attempt);
          return attempts.isEmpty() ? null : attempts;
        });
  }

  /** All that is under way: what closing has to end. */
  List<Timetable.Entry> all() {
    return List.copyOf(places.values());
  }

  int size() {
    return places.size();
  }
}
