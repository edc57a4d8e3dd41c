// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.Serial;

/**
 * A guard has seen a newer token: the lease was lost before, somebody else has been at the resource
 * since, and what was asked for now did not happen.
 */
public final class StaleTokenException extends LockException {
  @Serial private static final long serialVersionUID = 1L;

  private final String resource;
  private final long presented;
  private final long newest;

  public StaleTokenException(String resource, FencingToken presented, FencingToken newest) {
    super(
        "token %s is stale at '%s', which has seen token %s: the lease was lost"
            .formatted(presented, resource, newest));
    this.resource = resource;
    this.presented = presented.value();
    this.newest = newest.value();
  }

  /** What refused the token. */
  public String resource() {
    return resource;
  }

  /** The token that was refused. */
  public FencingToken presented() {
    return new FencingToken(presented);
  }

  /** The newest token that the resource had seen. */
  public FencingToken newest() {
    return new FencingToken(newest);
  }
}
