// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.BeforeAll;

/** Three primaries with a replica each. */
class ClusterContractTest extends RedisContract {

  @BeforeAll
  static void start() {
    use(new RedisCluster(RedisServer.binary(), LeastUser.options(700)), true);
  }
}
