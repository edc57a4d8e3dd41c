// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link JobHandler} whose job will fail in every attempt: it becomes a dead letter at
 * once, whatever attempts are left.
 */
public final class PermanentFailureException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * Gives the job up.
   *
   * @param message why
   */
  public PermanentFailureException(String message) {
    this(message, null);
  }

  /**
   * Gives the job up.
   *
   * @param message why
   * @param cause what it failed with
   */
  public PermanentFailureException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
