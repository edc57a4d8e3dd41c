// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.Serial;
import java.time.Duration;

/**
 * The lock was not granted within the wait: the caller does not hold it and will not be given it.
 */
public final class LockTimeoutException extends LockException {
  @Serial private static final long serialVersionUID = 1L;

  private final String name;

  public LockTimeoutException(String name, Duration wait) {
    super("lock '" + name + "' was not granted within " + wait.toMillis() + " ms");
    this.name = name;
  }

  /** The lock's name. */
  public String name() {
    return name;
  }
}
