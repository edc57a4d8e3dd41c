// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring Data's connections, which two contenders use: one shared connection of Lettuce. */
final class SpringRedis {
  private SpringRedis() {}

  static LettuceConnectionFactory connect(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    LettuceConnectionFactory connections =
        new LettuceConnectionFactory(
            new RedisStandaloneConfiguration(
                hostAndPort.substring(0, colon),
                Integer.parseInt(hostAndPort.substring(colon + 1))));
    connections.afterPropertiesSet();
    connections.start();
    return connections;
  }
}
