// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.spi.Moment;

/**
 * Where workers get their time from, and how their threads let it pass; a test puts its own in
 * place of the system's. Threads wait here and not by {@link io.holdfast.spi.TimeSource#after}
 * because most waits end early, and a task for each would be left behind.
 */
interface WorkerTime {

  /** The present moment. */
  Moment now();

  /** A reading of the monotonic clock. */
  default long nanos() {
    return now().monotonicNanos();
  }

  /** Returns when so much time has passed. */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Waits on a monitor that the caller holds, until it is notified or so much time has passed. May
   * return earlier, as {@link Object#wait()} may.
   */
  void await(Object monitor, long nanos) throws InterruptedException;
}
