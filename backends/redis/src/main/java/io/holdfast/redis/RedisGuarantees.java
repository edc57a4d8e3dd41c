// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Guarantees.Exclusion;
import java.time.Duration;
import java.util.EnumSet;

/** What locks in Redis promise: the same words as in {@code docs/guarantees.md}. */
final class RedisGuarantees {
  static final Duration SHORTEST = Duration.ofMillis(100);
  static final Duration LONGEST = Duration.ofDays(365);

  private static final String ONE_HOLDER_IF =
      "the primary keeps its data, nobody deletes the key by hand, its clock is not set forward by"
          + " more than the drift that is taken off a lease, and the lock does not move to a server"
          + " whose clock is ahead by more than that";
  private static final String TWO_HOLDERS_WHEN =
      "a fail-over or a restart loses the grant or a renewal of it, the data is flushed, or the clock"
          + " is set forward";
  private static final String TOKEN_NEVER_GOES_BACK_IF =
      "the counter and the clock do not go back together: the data is lost, and the clock of the"
          + " server that goes on is behind the last token";

  private RedisGuarantees() {}

  static Guarantees of(RedisSettings settings) {
    return new Guarantees(
        "redis",
        Exclusion.ADVISORY,
        ONE_HOLDER_IF,
        TWO_HOLDERS_WHEN,
        TOKEN_NEVER_GOES_BACK_IF,
        "clients and connections; of the server only with persistence that survives it",
        EnumSet.allOf(Capability.class),
        SHORTEST,
        LONGEST);
  }
}
