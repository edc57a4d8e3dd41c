// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import org.junit.jupiter.api.BeforeAll;

/** The oldest version that is supported, as the default user. */
class OldServerContractTest extends RedisContract {

  @BeforeAll
  static void start() {
    use(OneRedis.start(OldRedis.binary()), false);
  }
}
