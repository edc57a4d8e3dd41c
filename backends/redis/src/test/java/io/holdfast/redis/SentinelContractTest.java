// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.BeforeAll;

/** A primary, two replicas and three sentinels. */
class SentinelContractTest extends RedisContract {

  @BeforeAll
  static void start() {
    use(new SentinelGroup(RedisServer.binary(), LeastUser.options(700)), true);
  }
}
