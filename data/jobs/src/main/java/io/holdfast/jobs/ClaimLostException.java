// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.FencingToken;
import java.io.Serial;

/** The job is not this worker's any more: another may have it, or it was cancelled. */
public final class ClaimLostException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final long job;
  private final long token;

  ClaimLostException(long job, FencingToken token) {
    super(
        "the claim of job %d with token %s was lost: undo what was begun, and end"
            .formatted(job, token));
    this.job = job;
    this.token = token.value();
  }

  /** The job. */
  public long job() {
    return job;
  }

  /** The token of the claim that was lost. */
  public FencingToken token() {
    return new FencingToken(token);
  }
}
