// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.RedisServer;

/** One server. */
record OneRedis(RedisServer server) implements Deployment {

  static OneRedis start(String binary, String... options) {
    return new OneRedis(RedisServer.startBinary(binary, options));
  }

  @Override
  public String address() {
    return "redis://" + server.hostAndPort();
  }

  @Override
  public void restart() {
    server.kill();
    server.restart();
  }

  @Override
  public void close() {
    server.close();
  }
}
