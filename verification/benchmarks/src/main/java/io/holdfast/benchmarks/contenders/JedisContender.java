// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.util.Set;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** The recipe by hand, on a pool of Jedis connections, one for each thread. */
public record JedisContender() implements Contender {
  private static final int POOL = 256;

  @Override
  public String name() {
    return "Jedis pool by hand";
  }

  @Override
  public Set<String> requests() {
    return Set.of("set", "evalsha");
  }

  @Override
  public Client connect(String hostAndPort) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(POOL);
    pool.setMaxIdle(POOL);
    return new JedisRecipe(
        RedisClient.builder().hostAndPort(HostAndPort.from(hostAndPort)).poolConfig(pool).build());
  }

  private static final class JedisRecipe extends Recipe {
    private final RedisClient jedis;
    private final String digest;

    JedisRecipe(RedisClient jedis) {
      this.jedis = jedis;
      this.digest = jedis.scriptLoad(COMPARE_AND_DELETE);
    }

    @Override
    boolean set(String key, String value) {
      return jedis.set(key, value, SetParams.setParams().nx().px(LEASE_MILLIS)) != null;
    }

    @Override
    void compareAndDelete(String key, String value) {
      Object unused = jedis.evalsha(digest, 1, key, value);
    }

    @Override
    public void close() {
      jedis.close();
    }
  }
}
