// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.spi.LockBackend.Hold;
import org.jspecify.annotations.Nullable;

/**
 * What is not well with the requests of an attempt: one that is not answered yet; and what went
 * wrong since the store last answered, the newest failure and whether any of them may have had an
 * effect. Guarded by the attempt.
 */
final class Trouble {
  private @Nullable RuntimeException newest;
  private boolean unknown;
  private boolean unanswered;
  private long sentNanos;

  /** A request is under way. */
  void sent(long nowNanos) {
    unanswered = true;
    sentNanos = nowNanos;
  }

  /** It is not any more, by an answer or a failure. */
  void ended() {
    unanswered = false;
  }

  boolean isUnanswered() {
    return unanswered;
  }

  /** Whether the request that is under way was sent before that. */
  boolean isUnansweredSince(long nanos) {
    return unanswered && sentNanos - nanos <= 0;
  }

  void add(RuntimeException failure) {
    newest = failure;
    unknown |= isUnknown(failure);
  }

  /** The store has answered. */
  void clear() {
    newest = null;
    unknown = false;
  }

  boolean isUnknown() {
    return unknown;
  }

  /** What to tell the caller; null if all is well. */
  @Nullable RuntimeException verdict() {
    return newest != null && unknown && !isUnknown(newest)
        ? BackendException.unknown("an earlier request was not answered", newest)
        : newest;
  }

  /** What to tell a caller that leaves now, if a request may have or get an effect; else null. */
  @Nullable BackendException doubt(String name) {
    if (unanswered) {
      return noAnswer(name);
    }
    return unknown && verdict() instanceof BackendException known ? known : null;
  }

  static BackendException noAnswer(String name) {
    return BackendException.unknown("no answer to acquire '" + name + "'", null);
  }

  static BackendException lateAnswer(Hold hold) {
    return BackendException.unknown(
        "'%s' was granted, but the answer came when its lease time of %s was over: it is released"
            .formatted(hold.name(), hold.leaseTime()),
        null);
  }

  private static boolean isUnknown(RuntimeException failure) {
    return failure instanceof BackendException known && known.outcome() == Outcome.UNKNOWN;
  }
}
