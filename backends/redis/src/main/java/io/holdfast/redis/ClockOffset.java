// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.Moment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a server's clock shows another time than ours, which is looked at with every connection
 * and logged when it begins and when it ends. Tokens have their time from the server: one that is
 * far off may never be caught up with.
 */
final class ClockOffset {
  private static final Logger LOG = LoggerFactory.getLogger(RedisBackend.class);

  /** More than clocks that are kept by a time server differ by. */
  private static final long NOTABLE_MICROS = 1_000_000;

  /** Less than that, so that a clock at the limit is not logged with every connection. */
  private static final long NEGLIGIBLE_MICROS = NOTABLE_MICROS / 2;

  private boolean isNotable;

  /**
   * Compares a time of the server with ours.
   *
   * @param sent when the server was asked
   * @param received when its answer came
   */
  synchronized void compare(HostAndPort place, long serverMicros, Moment sent, Moment received) {
    long ahead = serverMicros - received.wallNanos() / 1000;
    long behind = sent.wallNanos() / 1000 - serverMicros;
    long offset = Math.max(ahead, behind);
    if (!isNotable && offset > NOTABLE_MICROS) {
      isNotable = true;
      LOG.warn(
          "the clock of the Redis server at {} is {} ms {} ours: if it is wrong, set it right, and"
              + " never back while tokens are in use",
          place,
          offset / 1000,
          ahead > 0 ? "ahead of" : "behind");
    } else if (isNotable && offset < NEGLIGIBLE_MICROS) {
      isNotable = false;
      LOG.info("the clock of the Redis server at {} agrees with ours again", place);
    }
  }
}
