// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.junit.jupiter.api.BeforeAll;

/** The same of the oldest version that is supported: without channels of slots. */
class OldClusterContractTest extends RedisContract {

  @BeforeAll
  static void start() {
    use(new RedisCluster(OldRedis.binary(), LeastUser.options(602)), true);
  }
}
