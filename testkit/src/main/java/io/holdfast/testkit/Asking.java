// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.Lease;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A request for a lock that is under way. */
record Asking(Passage passage, CompletableFuture<Optional<Lease>> future, Runnable breakingOff) {

  boolean isDone() {
    return future.isDone();
  }

  /** What it came to: a lease, or nothing. */
  Optional<Lease> outcome() {
    awaitEnd();
    return Passage.outcome(future);
  }

  Lease lease() {
    return outcome().orElseThrow(() -> new AssertionError("the lock was not granted"));
  }

  Throwable failure() {
    awaitEnd();
    return Passage.failure(future);
  }

  /** Interrupts or cancels it. */
  void breakOff() {
    breakingOff.run();
    awaitEnd();
  }

  private void awaitEnd() {
    passage.until("a request for a lock comes to an end", future::isDone);
  }
}
