// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the connections of one backend break. An unsteady server breaks them again and again, and
 * serves some requests between: so a trouble is told of when it begins, and when requests have been
 * served for a while without a break.
 */
final class ConnectionTrouble {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionTrouble.class);

  /** Without a break for so long, connections are steady. */
  static final Duration QUIET = Duration.ofSeconds(30);

  /** From the first break to the newest. */
  private record Breaks(Moment first, Moment newest, int count) {}

  private final String place;
  private final TimeSource time;
  private volatile @Nullable Breaks breaks;

  ConnectionTrouble(String place, TimeSource time) {
    this.place = place;
    this.time = time;
  }

  long nowNanos() {
    return time.now().monotonicNanos();
  }

  /** A connection broke, or could not be made. */
  void broke(Throwable cause) {
    Moment now = time.now();
    boolean begins;
    synchronized (this) {
      Breaks before = breaks;
      begins = before == null;
      breaks =
          before == null
              ? new Breaks(now, now, 1)
              : new Breaks(before.first, now, before.count + 1);
    }
    if (begins) {
      LOG.warn(
          "lost a connection to {}: {}; connecting again, and telling of further losses at level"
              + " debug",
          place,
          Failures.reason(cause));
    }
    LOG.debug("lost a connection to {}", place, cause);
  }

  /** A request was answered. */
  void served() {
    if (breaks == null) {
      return;
    }
    Breaks ended;
    synchronized (this) {
      ended = breaks;
      if (ended == null || time.now().since(ended.newest).compareTo(QUIET) < 0) {
        return;
      }
      breaks = null;
    }
    LOG.info(
        "connections to {} are steady again; {} were lost within {}",
        place,
        ended.count,
        ended.newest.since(ended.first));
  }
}
