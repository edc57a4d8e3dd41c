// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's registry of locks, over Lettuce. */
public record SpringContender(RedisLockType type) implements Contender {

  @Override
  public String name() {
    return type == RedisLockType.SPIN_LOCK
        ? "Spring Integration, spin"
        : "Spring Integration, pub-sub";
  }

  @Override
  public Client connect(String hostAndPort) {
    LettuceConnectionFactory connections = SpringRedis.connect(hostAndPort);
    RedisLockRegistry registry = new RedisLockRegistry(connections, "registry", 30_000L);
    registry.setRedisLockType(type);
    return new SpringLocks(connections, registry);
  }

  private record SpringLocks(LettuceConnectionFactory connections, RedisLockRegistry registry)
      implements Client {

    @Override
    public @Nullable Taken take(String name, Duration wait) throws InterruptedException {
      Lock lock = registry.obtain(name);
      boolean taken =
          wait.isZero() ? lock.tryLock() : lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
      return taken ? lock::unlock : null;
    }

    @Override
    public void close() {
      registry.destroy();
      connections.destroy();
    }
  }
}
