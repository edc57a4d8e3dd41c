// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

/**
 * Where the next claim begins: behind the last one while there is plenty, and from the front once
 * in a poll interval, for jobs that are urgent, or were committed late. If a scan from the front
 * takes long, because old rows cannot be vacuumed, they are rarer: it has a tenth of the time.
 */
final class Scan {
  private static final int SHARE = 10;

  private final long intervalNanos;
  private final WorkerTime time;
  private Place place = Place.FRONT;
  private long begun;
  private long nextFront;

  Scan(long intervalNanos, WorkerTime time) {
    this.intervalNanos = intervalNanos;
    this.time = time;
    this.nextFront = time.nanos();
  }

  /** Whether it is a scan from the front. */
  boolean begin() {
    begun = time.nanos();
    if (begun - nextFront >= 0) {
      place = Place.FRONT;
    }
    return place.isFront();
  }

  Place from() {
    return place;
  }

  void end(Place last) {
    long now = time.nanos();
    if (place.isFront()) {
      nextFront = now + Math.max(intervalNanos, (now - begun) * SHARE);
    }
    place = last;
  }

  /** Nothing is left behind the last place. */
  void fromFront() {
    place = Place.FRONT;
  }
}
