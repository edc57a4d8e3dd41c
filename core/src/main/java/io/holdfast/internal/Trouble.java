// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong since the store last answered an attempt: the newest failure, and whether any of
 * them may have had an effect. Guarded by the attempt.
 */
final class Trouble {
  private @Nullable RuntimeException newest;
  private boolean unknown;

  void add(RuntimeException failure) {
    newest = failure;
    unknown |= isUnknown(failure);
  }

  /** The store has answered. */
  void clear() {
    newest = null;
    unknown = false;
  }

  boolean isUnknown() {
    return unknown;
  }

  /** What to tell the caller; null if all is well. */
  @Nullable RuntimeException verdict() {
    return newest != null && unknown && !isUnknown(newest)
        ? BackendException.unknown("an earlier request was not answered", newest)
        : newest;
  }

  private static boolean isUnknown(RuntimeException failure) {
    return failure instanceof BackendException known && known.outcome() == Outcome.UNKNOWN;
  }
}
