// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jdbc;

import java.io.Serial;

/** Somebody else has changed the row since it was read. {@link Optimistic} tries again. */
public final class VersionConflictException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With what was found changed. */
  public VersionConflictException(String message) {
    super(message);
  }
}
