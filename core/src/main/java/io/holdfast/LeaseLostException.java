// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.Serial;

/** The lease was lost: another holder may be at work. */
public final class LeaseLostException extends LockException {
  @Serial private static final long serialVersionUID = 1L;

  private final String name;
  private final long token;
  private final LossCause cause;

  public LeaseLostException(String name, FencingToken token, LossCause cause) {
    super("the lease of lock '" + name + "' with token " + token + " was lost: " + cause);
    this.name = name;
    this.token = token.value();
    this.cause = cause;
  }

  /** The lock's name. */
  public String name() {
    return name;
  }

  /** The token of the lease that was lost. */
  public FencingToken token() {
    return new FencingToken(token);
  }

  /** Why it was lost. */
  public LossCause lossCause() {
    return cause;
  }
}
