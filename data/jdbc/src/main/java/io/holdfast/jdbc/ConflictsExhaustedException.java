// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.io.Serial;
import java.time.Duration;

/** Every attempt met somebody else's change, until there were no more. Nothing was changed. */
public final class ConflictsExhaustedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final int attempts;

  ConflictsExhaustedException(int attempts, Duration spent, Throwable last) {
    super(
        "gave up after %d attempts in %d ms, each of which met a change by somebody else: %s"
            .formatted(attempts, spent.toMillis(), last.getMessage()),
        last);
    this.attempts = attempts;
  }

  /** How many there were. */
  public int attempts() {
    return attempts;
  }
}
