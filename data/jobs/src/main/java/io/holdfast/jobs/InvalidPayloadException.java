// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import java.io.Serial;

/**
 * A payload is no JSON that PostgreSQL can store. Nothing was enqueued, and a transaction in which
 * it was tried is to be rolled back. The message does not show the payload.
 */
public final class InvalidPayloadException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  InvalidPayloadException(int jobs, String sqlState) {
    super(
        "%s no JSON that PostgreSQL can store as jsonb (SQL state %s)"
            .formatted(
                jobs == 1 ? "the payload is" : "one of %d payloads is".formatted(jobs), sqlState));
  }
}
