// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Leases that were acquired together, all or none, and count as lost with the first one lost. */
public interface LeaseGroup extends AutoCloseable {

  /** The leases, in the order of their names. */
  List<Lease> leases();

  /**
   * The lease of one of the locks.
   *
   * @throws IllegalArgumentException if the group has no such lock
   */
  Lease lease(String name);

  /** The shortest time that any of the leases has left. */
  Duration remaining();

  /** Whether every lease is still held. */
  boolean isHeld();

  /**
   * Completes with the cause of the first loss, and never if none is lost; as {@link Lease#loss()}.
   */
  CompletionStage<LossCause> loss();

  /**
   * Releases all of them, in reverse order.
   *
   * @return true if all were still held
   * @throws BackendException if the store did not confirm one of them; the others are released
   */
  boolean release();

  /** Releases all of them and never throws. */
  @Override
  void close();
}
