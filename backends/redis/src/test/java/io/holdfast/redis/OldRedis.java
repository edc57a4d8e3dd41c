// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.junit.jupiter.api.Assumptions;

/** Redis 6.2, from wherever {@code ./verify} has put it. */
final class OldRedis {
  private static final String VARIABLE = "HOLDFAST_REDIS_6_SERVER";

  private OldRedis() {}

  static String binary() {
    String named = System.getenv(VARIABLE);
    if (named == null || named.isBlank()) {
      Assumptions.abort("could not run here: no Redis 6.2; " + VARIABLE + " names its binary");
      throw new AssertionError("aborted");
    }
    return named;
  }
}
