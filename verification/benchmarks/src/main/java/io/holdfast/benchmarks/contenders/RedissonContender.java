// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, with its watch-dog for renewal, as its documentation shows them. */
public record RedissonContender(Kind kind, Duration leaseTime) implements Contender {
  /** Which of its locks. */
  public enum Kind {
    LOCK("Redisson RLock"),
    FAIR("Redisson RFairLock"),
    FENCED("Redisson RFencedLock"),
    SPIN("Redisson RSpinLock");

    private final String title;

    Kind(String title) {
      this.title = title;
    }
  }

  public RedissonContender(Kind kind) {
    this(kind, Duration.ofSeconds(30));
  }

  @Override
  public String name() {
    return kind.title;
  }

  @Override
  public Client connect(String hostAndPort) {
    Config config = new Config();
    config.useSingleServer().setAddress("redis://" + hostAndPort);
    config.setLockWatchdogTimeout(leaseTime.toMillis());
    return new RedissonLocks(kind, Redisson.create(config));
  }

  private static final class RedissonLocks implements Client {
    private final Kind kind;
    private final RedissonClient redisson;
    private final AtomicLong owners = new AtomicLong(1L << 32);

    RedissonLocks(Kind kind, RedissonClient redisson) {
      this.kind = kind;
      this.redisson = redisson;
    }

    private RLock lock(String name) {
      return switch (kind) {
        case LOCK -> redisson.getLock(name);
        case FAIR -> redisson.getFairLock(name);
        case FENCED -> redisson.getFencedLock(name);
        case SPIN -> redisson.getSpinLock(name);
      };
    }

    @Override
    public @Nullable Taken take(String name, Duration wait) throws InterruptedException {
      RLock lock = lock(name);
      long millis = wait.toMillis();
      boolean taken;
      if (lock instanceof RFencedLock fenced) {
        taken =
            (wait.isZero()
                    ? fenced.tryLockAndGetToken()
                    : fenced.tryLockAndGetToken(millis, TimeUnit.MILLISECONDS))
                != null;
      } else {
        taken = wait.isZero() ? lock.tryLock() : lock.tryLock(millis, TimeUnit.MILLISECONDS);
      }
      return taken ? lock::unlock : null;
    }

    @Override
    public CompletionStage<?> pair(String name, Runnable work) {
      RLock lock = lock(name);
      long owner = owners.incrementAndGet();
      return lock.tryLockAsync(owner)
          .thenCompose(
              taken -> {
                work.run();
                return lock.unlockAsync(owner);
              });
    }

    @Override
    public void close() {
      redisson.shutdown();
    }
  }
}
