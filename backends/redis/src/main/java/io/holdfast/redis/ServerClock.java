// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

/**
 * What is known of a server's clock: an interval for its distance from our monotonic clock. A reply
 * was made after its request was sent and before it was received, so each reply with the server's
 * time gives one. Kept over reconnections: after a fail-over another clock counts, and the ends of
 * holds, which replicas know by time of day, go by that one.
 */
final class ServerClock {
  /** What the rates of two clocks may differ by: a thousandth, and no less than this. */
  private static final long TOLERANCE_MICROS = 10_000;

  private long leastMicros;
  private long mostMicros;
  private long observedNanos;
  private boolean known;

  /**
   * Takes note of a reply's time. The newest reply counts, because clocks are set.
   *
   * @return by how much the clock has been set since the last reply, as far as that is certain
   */
  synchronized long observe(long serverMicros, long sentNanos, long receivedNanos) {
    long least = serverMicros - receivedNanos / 1000;
    long most = serverMicros - sentNanos / 1000;
    long jump = 0;
    if (known) {
      long tolerance = tolerance(receivedNanos);
      jump = least - mostMicros > tolerance ? least - mostMicros : jump;
      jump = leastMicros - most > tolerance ? most - leastMicros : jump;
    }
    leastMicros = least;
    mostMicros = most;
    observedNanos = receivedNanos;
    known = true;
    return jump;
  }

  /** By how much this clock is ahead of another server's, as far as that is certain; or 0. */
  long microsAheadOf(ServerClock other) {
    ServerClock theirs = other.copy();
    synchronized (this) {
      if (!known || !theirs.known) {
        return 0;
      }
      long ahead = leastMicros - theirs.mostMicros;
      return ahead > tolerance(theirs.observedNanos) ? ahead : 0;
    }
  }

  private synchronized ServerClock copy() {
    ServerClock copy = new ServerClock();
    copy.mostMicros = mostMicros;
    copy.observedNanos = observedNanos;
    copy.known = known;
    return copy;
  }

  /** For what was known at another time. */
  private long tolerance(long nanos) {
    return TOLERANCE_MICROS + Math.abs(nanos - observedNanos) / 1_000_000;
  }

  /** What the server's clock shows at this time of ours, at least, in milliseconds. */
  synchronized long leastMillisAt(long nanos) {
    return Math.floorDiv(leastMicros + nanos / 1000, 1000);
  }
}
