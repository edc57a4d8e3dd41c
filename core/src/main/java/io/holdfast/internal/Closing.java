// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.LossCause;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The end of a runtime that grants nothing any more: what it holds or waits for is given back. */
final class Closing {
  private final LockRuntime runtime;

  Closing(LockRuntime runtime) {
    this.runtime = runtime;
  }

  void run() {
    int leases = 0;
    for (Timetable.Entry place : runtime.router().all()) {
      if (place instanceof LiveHold hold) {
        leases++;
        hold.lost(LossCause.CLOSED);
        Departure.begin(runtime, hold.hold());
      } else if (place instanceof Attempt attempt && !attempt.close()) {
        // It has just been granted; the hold that takes its place finds that all is closed.
        Departure.begin(runtime, attempt.hold());
      }
    }
    runtime.events().closed(leases, unconfirmedDepartures());
    runtime.backend().close();
  }

  /**
   * Waits for all departures; those that fail, or had failed before, are tried once more. First it
   * waits for whatever else is under way: an acquire that is carried out after its release has its
   * second release when it is answered, and only then.
   */
  private long unconfirmedDepartures() {
    Set<Departure> left = new LinkedHashSet<>(departures());
    isConfirmed(runtime.quiet());
    left.addAll(departures());
    left.removeIf(departure -> isConfirmed(departure.lastTry()));
    List<CompletableFuture<Boolean>> again = left.stream().map(Departure::again).toList();
    return again.stream().filter(answer -> !isConfirmed(answer)).count();
  }

  private List<Departure> departures() {
    return Departure.inOrder(runtime.departures().values());
  }

  private boolean isConfirmed(CompletableFuture<Boolean> answer) {
    try {
      runtime.await(answer);
      return true;
    } catch (BackendException unconfirmed) {
      return false;
    }
  }
}
