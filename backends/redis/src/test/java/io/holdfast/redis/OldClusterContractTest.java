// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import io.holdfast.testkit.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A cluster of the oldest version that is supported: without channels of slots. */
@Tag("redis")
class OldClusterContractTest extends LockBackendContract {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = new RedisCluster(OldRedis.binary());
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt(cluster.address());
  }

  @Override
  protected void restartStore() {
    cluster.servers().forEach(RedisServer::kill);
    cluster.servers().forEach(RedisServer::restart);
    cluster.awaitUp();
  }
}
