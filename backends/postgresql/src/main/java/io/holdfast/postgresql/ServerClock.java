// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Moment;
import java.time.Duration;

/**
 * A lower bound of the server's time, from what it last told us. With it a request says until when
 * somebody waits for it: a server that stood still finds requests in its sockets that were given up
 * long ago, and must not carry them out.
 */
final class ServerClock {
  private record Reading(long micros, Moment received) {}

  private volatile Reading last;

  ServerClock(long micros, Moment received) {
    this.last = new Reading(micros, received);
  }

  void read(long micros, Moment received) {
    last = new Reading(micros, received);
  }

  /** The server's time after which a request that is sent now has been given up. */
  long deadlineMicros(Moment now, Duration timeout) {
    Reading reading = last;
    long elapsed = now.monotonicNanos() - reading.received.monotonicNanos();
    return reading.micros + (elapsed + timeout.toNanos()) / 1000;
  }
}
