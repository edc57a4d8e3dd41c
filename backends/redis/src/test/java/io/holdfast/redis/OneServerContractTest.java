// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.BeforeAll;

/** One server. */
class OneServerContractTest extends RedisContract {

  @BeforeAll
  static void start() {
    use(OneRedis.start(RedisServer.binary(), LeastUser.options(700)), true);
  }
}
