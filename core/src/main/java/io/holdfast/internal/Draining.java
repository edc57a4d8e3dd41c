// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What comes before the end when the JVM shuts down. Shutdown hooks run beside the application's
 * threads and other hooks, so holders may still be at work: nothing is granted any more, but what
 * is held is kept and renewed until it is released.
 */
final class Draining {
  private final LockRuntime runtime;
  private final CompletableFuture<Boolean> drained = new CompletableFuture<>();

  Draining(LockRuntime runtime) {
    this.runtime = runtime;
  }

  /** Returns when nothing is held any more, or the time is over. */
  void await(Duration grace) {
    if (runtime.isClosed()) {
      return;
    }
    runtime.grantNoMore();
    for (Timetable.Entry place : runtime.router().all()) {
      if (place instanceof Attempt attempt) {
        attempt.close();
      }
    }
    runtime.events().shuttingDown(leases(), grace);
    // They end when they are told to, and would never do so by themselves.
    runtime.leaders().forEach(Runnable::run);
    runtime.router().whenEmpty(() -> drained.complete(true));
    runtime.after(grace, () -> drained.complete(false));
    if (!runtime.await(drained)) {
      runtime.events().graceOver(leases());
    }
  }

  private int leases() {
    return (int) runtime.router().all().stream().filter(LiveHold.class::isInstance).count();
  }
}
