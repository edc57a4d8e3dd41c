// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.time.Duration;
import java.util.Set;

/**
 * What a backend promises, and under which assumptions. The sentences complete those of {@code
 * docs/guarantees.md}.
 *
 * @param backend what the backend is called
 * @param exclusion how strong its exclusion is
 * @param oneHolderIf one holder at a time if …
 * @param twoHoldersWhen two holders are possible when …
 * @param tokenNeverGoesBackIf the token never goes back if …
 * @param survives what may be lost without losing the locks
 * @param capabilities what it offers
 * @param shortestLeaseTime the shortest lease time it can honour
 * @param longestLeaseTime the longest lease time it can honour
 */
public record Guarantees(
    String backend,
    Exclusion exclusion,
    String oneHolderIf,
    String twoHoldersWhen,
    String tokenNeverGoesBackIf,
    String survives,
    Set<Capability> capabilities,
    Duration shortestLeaseTime,
    Duration longestLeaseTime) {

  public Guarantees {
    capabilities = Set.copyOf(capabilities);
  }

  /** Whether the backend claims this capability. */
  public boolean claims(Capability capability) {
    return capabilities.contains(capability);
  }

  /** How strong the exclusion of a backend is. */
  public enum Exclusion {
    /** Within this JVM or this machine. */
    LOCAL,
    /** Two holders are possible in a fault that the guarantees name. */
    ADVISORY,
    /** One holder at a time while the timing assumptions hold that the guarantees name. */
    LEASED
  }

  /** What a backend may offer beyond exclusive locks with tokens. */
  public enum Capability {
    /** A hold that is not renewed ends by itself. */
    EXPIRY,
    /** Waiters are served in the order in which they came. */
    ORDER,
    /** Shared holds. */
    SHARED,
    /** Semaphores. */
    PERMITS,
    /** {@code inspect} shows who waits. */
    WAITERS_VISIBLE,
    /** A holder is told at once when its lock is released by force. */
    PROMPT_FORCE,
    /** Tokens go on growing after a restart of the store. */
    TOKENS_SURVIVE_RESTART
  }
}
