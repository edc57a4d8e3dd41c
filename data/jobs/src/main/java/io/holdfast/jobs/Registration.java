// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.spi.Moment;

/**
 * One life of a worker in the database. It ends for this process before it may end for others: its
 * time counts from before the heartbeat was sent, and a tenth is kept back, in which handlers that
 * were interrupted can end. Once over it does not come back; the worker begins another.
 */
final class Registration {
  private final long id;
  private final long leaseNanos;
  private final WorkerTime time;
  private volatile Moment beat;
  private volatile boolean over;
  private volatile int epoch;

  Registration(long id, long leaseNanos, Moment sent, WorkerTime time) {
    this.id = id;
    this.leaseNanos = leaseNanos - leaseNanos / 10;
    this.beat = sent;
    this.time = time;
  }

  long id() {
    return id;
  }

  boolean isAlive() {
    return !over && nanosLeft() > 0;
  }

  boolean isOver() {
    return over;
  }

  long nanosLeft() {
    return leaseNanos - time.now().nanosSince(beat);
  }

  /** A heartbeat that was sent then was answered; false if that came too late. */
  boolean extend(Moment sent) {
    if (!isAlive()) {
      return false;
    }
    beat = sent;
    return true;
  }

  int epoch() {
    return epoch;
  }

  void epoch(int next) {
    epoch = next;
  }

  void end() {
    over = true;
  }
}
