// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import io.holdfast.testkit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The oldest version that is supported. */
@Tag("redis")
class OldServerContractTest extends LockBackendContract {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.startBinary(OldRedis.binary());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt("redis://" + server.hostAndPort());
  }

  @Override
  protected void restartStore() {
    server.kill();
    server.restart();
  }
}
