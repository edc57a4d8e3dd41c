// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What we remember of a holder while it asks, waits, or holds what a message gave it: its place in
 * the queue, and what the newest answers said, so that an old message is not mistaken for a new
 * one.
 */
final class Claim {
  private final AcquireRequest firstRequest;
  private final String channel;
  private long ticket;
  private @Nullable Moment queuedSent;
  private long queuedMicros;
  private int requests;
  private int unanswered;
  private boolean mayStand;
  private long toldToken;
  private long toldMicros;
  private long unsettledUntilNanos;
  private boolean isUnsettled;
  private boolean left;
  private CompletableFuture<Boolean> released = CompletableFuture.completedFuture(false);

  Claim(AcquireRequest firstRequest, String channel) {
    this.firstRequest = firstRequest;
    this.channel = channel;
  }

  Hold hold() {
    return firstRequest.hold();
  }

  /** On which it hears of its grant. */
  String channel() {
    return channel;
  }

  /** Made when it is asked for: most are granted together with others, and need none. */
  String entry() {
    return Entries.of(firstRequest, channel);
  }

  synchronized long ticket() {
    return ticket;
  }

  /** It asks (again): what a message said has not been enough. */
  synchronized void asks() {
    requests++;
    unanswered++;
    toldToken = 0;
  }

  /** Whether it asks for the first time. */
  synchronized boolean isNew() {
    return requests == 1;
  }

  /**
   * The answer was: held. Returns false if a message had told of a grant before that, which must be
   * lost again; a message of a later grant may have overtaken this answer.
   */
  synchronized boolean queued(long ticket, Moment sent, long serverMicros) {
    unanswered--;
    this.ticket = ticket;
    mayStand = true;
    if (serverMicros > queuedMicros) {
      queuedMicros = serverMicros;
      queuedSent = sent;
    }
    return toldToken == 0 || serverMicros < toldMicros;
  }

  /** The answer was: granted. Returns false if a message had told of another grant meanwhile. */
  synchronized boolean granted(long token) {
    unanswered--;
    return toldToken == 0 || toldToken == token;
  }

  /** The answer was that there is nothing to wait for. */
  synchronized void refused() {
    unanswered--;
  }

  /** There was no answer; until then the request may yet be carried out. */
  synchronized void failed(boolean unknown, boolean waits, long untilNanos) {
    unanswered--;
    if (unknown) {
      mayStand |= waits;
      isUnsettled = true;
      unsettledUntilNanos = untilNanos;
    }
  }

  /**
   * A message tells of a grant. It counts if it is newer than the newest answer, which said that
   * the lock was held.
   *
   * @return the grant, since the newest request that was carried out before it; null if it does not
   *     count
   */
  synchronized @Nullable Granted told(long first, long last, long serverMicros) {
    if (left || toldToken != 0 || serverMicros <= queuedMicros) {
      return null;
    }
    toldToken = first;
    toldMicros = serverMicros;
    mayStand = true;
    return new Granted(
        first, (int) (last - first), queuedSent == null ? firstRequest.sent() : queuedSent);
  }

  /**
   * What a holder leaves behind.
   *
   * @param lateNanos for how long a request of it may yet be carried out, unanswered
   * @param isLast whether a release that is sent now comes after all its requests
   */
  record Leaving(long lateNanos, boolean isLast) {}

  /**
   * It leaves: it does not ask again.
   *
   * @param answer to the release that is sent next
   */
  synchronized Leaving leaves(long nowNanos, CompletableFuture<Boolean> answer) {
    left = true;
    released = answer;
    long lateNanos = isUnsettled ? Math.max(0, unsettledUntilNanos - nowNanos) : 0;
    return new Leaving(lateNanos, unanswered == 0 && lateNanos == 0);
  }

  synchronized boolean hasLeft() {
    return left;
  }

  /** The answer to its newest release. */
  synchronized CompletableFuture<Boolean> released() {
    return released;
  }

  synchronized boolean waits() {
    return mayStand && toldToken == 0 && !left;
  }

  synchronized boolean asksOrWaits() {
    return unanswered > 0 || waits();
  }

  /**
   * Whether no message can come for it any more. One that has left is remembered until its last
   * release is answered.
   */
  synchronized boolean isDone() {
    return unanswered == 0 && !left && !mayStand && !isUnsettled;
  }
}
