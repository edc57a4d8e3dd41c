// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.BackendException.Outcome;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What lies between a process and its store: it can be cut, and things can be kept in it. */
final class Network {
  private final List<FaultyCall<?>> heldBack = new ArrayList<>();
  private final Set<FaultyCall<?>> unanswered = ConcurrentHashMap.newKeySet();
  private volatile boolean cutOff;
  private volatile @Nullable TimeSource time;

  void time(TimeSource time) {
    this.time = time;
  }

  void cutOff(boolean cutOff) {
    this.cutOff = cutOff;
  }

  /** Carries something across, now, unless the network is cut. */
  void carry(Runnable delivery) {
    if (!cutOff) {
      delivery.run();
    }
  }

  void after(Duration delay, Runnable task) {
    TimeSource clock = time;
    if (clock == null) {
      throw new IllegalStateException("the backend has not been started");
    }
    clock.after(delay, task);
  }

  void begun(FaultyCall<?> call) {
    unanswered.add(call);
  }

  void answered(FaultyCall<?> call) {
    unanswered.remove(call);
  }

  /** As when a connection is reset: whoever waits for an answer is told that none will come. */
  void giveUp() {
    unanswered.forEach(call -> call.fail(Outcome.UNKNOWN));
  }

  void holdBack(FaultyCall<?> call) {
    synchronized (heldBack) {
      heldBack.add(call);
    }
  }

  void letGo() {
    List<FaultyCall<?>> freed;
    synchronized (heldBack) {
      freed = List.copyOf(heldBack);
      heldBack.clear();
    }
    freed.forEach(FaultyCall::deliver);
  }
}
