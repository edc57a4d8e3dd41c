// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.Set;

/** Opens {@code redis:}, {@code rediss:}, {@code redis-sentinel:} and {@code redis-cluster:}. */
public final class RedisProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public RedisProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss", "redis-sentinel", "redis-cluster");
  }

  @Override
  public LockBackend open(Address address) {
    return RedisBackend.at(address);
  }
}
