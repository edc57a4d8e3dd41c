// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link JobHandler} whose attempt failed and is to be followed by the next one at
 * once, without the rest of the {@link RetryPolicy}. The attempt counts.
 */
public final class RetryNowException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * Ends the attempt.
   *
   * @param message why it failed
   */
  public RetryNowException(String message) {
    this(message, null);
  }

  /**
   * Ends the attempt.
   *
   * @param message why it failed
   * @param cause what it failed with
   */
  public RetryNowException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
