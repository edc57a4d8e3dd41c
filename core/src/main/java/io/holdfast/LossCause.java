// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

/** Why a lease ended in any other way than its own release. */
public enum LossCause {
  /**
   * It was not renewed in time: by choice, by its longest hold, or because the process was paused.
   */
  EXPIRED,
  /** The store did not answer the renewals until the lease had run out. */
  UNREACHABLE,
  /** The store says that another holder has the lock, or a resource has seen a newer token. */
  TAKEN,
  /** The store has forgotten the hold. */
  GONE,
  /** Somebody released it by force. */
  FORCED,
  /** The {@link Holdfast} that held it was closed, or the grace at the JVM's shutdown was over. */
  CLOSED
}
