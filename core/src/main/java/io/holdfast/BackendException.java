// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The store failed, or could not be reached. {@link #outcome()} says what is known of the request;
 * {@link #isTransient()} whether the same request may succeed later.
 */
public final class BackendException extends LockException {
  @Serial private static final long serialVersionUID = 1L;

  /** What is known of a request that failed. */
  public enum Outcome {
    /** It had no effect. */
    NOT_APPLIED,
    /** Nobody knows whether it had an effect: for example, the reply was lost. */
    UNKNOWN
  }

  private final Outcome outcome;
  private final boolean isTransient;

  private BackendException(
      Outcome outcome, boolean isTransient, String message, @Nullable Throwable cause) {
    super(message);
    this.outcome = outcome;
    this.isTransient = isTransient;
    if (cause != null) {
      initCause(cause);
    }
  }

  /** The request had no effect, but may have one if it is repeated. */
  public static BackendException notApplied(String message, @Nullable Throwable cause) {
    return new BackendException(Outcome.NOT_APPLIED, true, message, cause);
  }

  /** The request had no effect, and repeating it is no use until somebody mends something. */
  public static BackendException refused(String message, @Nullable Throwable cause) {
    return new BackendException(Outcome.NOT_APPLIED, false, message, cause);
  }

  /** Nobody knows whether the request had an effect. */
  public static BackendException unknown(String message, @Nullable Throwable cause) {
    return new BackendException(Outcome.UNKNOWN, true, message, cause);
  }

  /** What is known of the request's effect. */
  public Outcome outcome() {
    return outcome;
  }

  /** Whether the same request may succeed later, with nothing changed by anybody. */
  public boolean isTransient() {
    return isTransient;
  }
}
