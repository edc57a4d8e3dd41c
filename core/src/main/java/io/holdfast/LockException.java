// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.Serial;

/** What can go wrong with a lock; the subtypes tell what is known of the outcome. */
public abstract sealed class LockException extends RuntimeException
    permits LockTimeoutException, LeaseLostException, BackendException, StaleTokenException {
  @Serial private static final long serialVersionUID = 1L;

  LockException(String message) {
    super(message);
  }

  LockException(String message, Throwable cause) {
    super(message, cause);
  }
}
