// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, at servers that a subclass starts before all: as the user with the least privileges
 * that the documentation recommends, where that user is there.
 */
@Tag("redis")
abstract class RedisContract extends LockBackendContract {
  private static @Nullable Deployment deployment;
  private static boolean asLeastUser;

  static void use(Deployment started, boolean leastUser) {
    deployment = started;
    asLeastUser = leastUser;
  }

  @AfterAll
  static void stop() {
    if (deployment != null) {
      deployment.close();
      deployment = null;
    }
  }

  @Override
  protected LockBackend openBackend() {
    RedisBackend.Builder builder = RedisBackend.builder(requireNonNull(deployment).address());
    builder.timeout(Duration.ofSeconds(4)); // For a machine that is busy with other tests.
    return asLeastUser
        ? builder.credentials(LeastUser.NAME, LeastUser.PASSWORD).build()
        : builder.build();
  }

  /** Several of these run beside each other, with six servers each. */
  @Override
  protected Duration leaseTime() {
    return Duration.ofMillis(1500);
  }

  @Override
  protected void restartStore() {
    requireNonNull(deployment).restart();
  }
}
