// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("redis")
class SentinelContractTest extends LockBackendContract {
  private static SentinelGroup group;

  @BeforeAll
  static void start() {
    group = new SentinelGroup();
  }

  @AfterAll
  static void stop() {
    group.close();
  }

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt(group.address());
  }

  @Override
  protected void restartStore() {
    group.failOver();
  }
}
