// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock's Redis provider, over Lettuce. It does not wait, renews nothing and has no token. */
public record ShedLockContender() implements Contender {

  @Override
  public String name() {
    return "ShedLock";
  }

  @Override
  public Set<String> requests() {
    return Set.of("set", "del", "eval", "evalsha");
  }

  @Override
  public Client connect(String hostAndPort) {
    LettuceConnectionFactory connections = SpringRedis.connect(hostAndPort);
    return new ShedLocks(connections, new RedisLockProvider(connections));
  }

  private record ShedLocks(LettuceConnectionFactory connections, RedisLockProvider provider)
      implements Client {
    private static final Duration AT_MOST = Duration.ofSeconds(30);

    @Override
    public @Nullable Taken take(String name, Duration wait) {
      SimpleLock lock =
          provider
              .lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO))
              .orElse(null);
      return lock == null ? null : lock::unlock;
    }

    @Override
    public void close() {
      connections.destroy();
    }
  }
}
