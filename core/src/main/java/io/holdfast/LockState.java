// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the store knew of a lock when it was asked: who holds it, and who waits, in order. Old by
 * the time it is read.
 *
 * @param name the lock's name
 * @param holders who holds it; empty if it is free
 * @param waiters who waits, first come first; empty where the store does not show waiters
 * @param notes what is unusual at the store and matters for this lock, in words: for example which
 *     nodes of a quorum do not take part; empty if all is well
 */
public record LockState(
    String name, List<Holding> holders, List<Waiting> waiters, List<String> notes) {

  public LockState {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
    notes = List.copyOf(notes);
  }

  /** A lock in a store where all is well. */
  public LockState(String name, List<Holding> holders, List<Waiting> waiters) {
    this(name, holders, waiters, List.of());
  }

  /** A lock that nobody holds and nobody waits for. */
  public static LockState free(String name) {
    return new LockState(name, List.of(), List.of());
  }

  /** Whether nobody holds the lock. */
  public boolean isFree() {
    return holders.isEmpty();
  }

  /**
   * One hold.
   *
   * @param holder the holder's id in the store
   * @param mode how it is held
   * @param token its fencing token, or the first of those it may pass on; absent for a holder that
   *     is not Holdfast's
   * @param remaining how much longer the store keeps it if it is not renewed
   * @param held since when it has been held, if the store knows
   * @param origin which process holds it, if the store knows
   * @param purpose what for, if it was said
   */
  public record Holding(
      String holder,
      Mode mode,
      Optional<FencingToken> token,
      Duration remaining,
      Optional<Duration> held,
      Optional<Origin> origin,
      Optional<String> purpose) {}

  /**
   * One waiter.
   *
   * @param holder its id in the store
   * @param mode how it wants to hold the lock
   * @param origin which process waits, if the store knows
   * @param purpose what for, if it was said
   */
  public record Waiting(
      String holder, Mode mode, Optional<Origin> origin, Optional<String> purpose) {}
}
