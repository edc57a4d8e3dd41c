// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.AcquireRequest;
import java.time.Duration;

/** How a request is written for the scripts: see the header of {@code prologue.lua}. */
final class Entries {
  /** A fence that is lost within so many microseconds of its grant could repeat tokens. */
  private static final int MOST_PASSES = 999;

  private Entries() {}

  /** The entry of an acquisition; constant, so that a repeat finds its place. */
  static String of(AcquireRequest request, String channel) {
    String purpose = request.purpose();
    String entry =
        String.join(
            " ",
            request.hold().holder().toString(),
            channel,
            Long.toString(millis(request.hold().leaseTime())),
            Integer.toString(passes(request)),
            text(request.hold().mode()));
    return purpose == null ? entry : entry + " " + purpose;
  }

  /** What {@code acquire_together.lua} takes for one lock. */
  static String[] parts(AcquireRequest request) {
    String purpose = request.purpose();
    return new String[] {
      request.hold().holder().toString(),
      Long.toString(millis(request.hold().leaseTime())),
      Integer.toString(passes(request)),
      purpose == null ? "" : " " + purpose
    };
  }

  /** For how many passes there are tokens in the store. */
  static int passes(AcquireRequest request) {
    return Math.min(MOST_PASSES, request.passes());
  }

  /** Rounded up: the store keeps a hold at least for its lease time. */
  static long millis(Duration time) {
    return time.plusNanos(999_999).toMillis();
  }

  private static String text(Mode mode) {
    return mode instanceof Mode.Permits permits
        ? "permits:" + permits.count() + "/" + permits.limit()
        : mode.toString();
  }

  static Mode mode(String text) {
    return switch (text) {
      case "exclusive" -> Mode.EXCLUSIVE;
      case "shared" -> Mode.SHARED;
      default -> {
        int slash = text.indexOf('/');
        yield Mode.permits(
            Integer.parseInt(text.substring("permits:".length(), slash)),
            Integer.parseInt(text.substring(slash + 1)));
      }
    };
  }
}
