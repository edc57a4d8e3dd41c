// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;

/** The database cannot keep jobs as it is; the message says what to change. */
public final class UnfitDatabaseException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1L;

  UnfitDatabaseException(String message) {
    super(message);
  }
}
