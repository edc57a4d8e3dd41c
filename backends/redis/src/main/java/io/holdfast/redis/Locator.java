// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import java.util.concurrent.CompletionStage;

/** Says where a primary is. */
@FunctionalInterface
interface Locator {

  /** Looks up where the primary is now; asked before each connection. */
  CompletionStage<HostAndPort> primary();

  /** Returns false if the primary is known to be at another place. */
  default boolean isPrimary(HostAndPort place) {
    return true;
  }

  /**
   * Watches where the primary is, until this is closed.
   *
   * @param moved to be run when the primary is at another place; then {@link #isPrimary} says so
   */
  default void watch(Runnable moved) {}

  /** Ends the watch. */
  default void close() {}
}
