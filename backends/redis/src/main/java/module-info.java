// SPDX-License-Identifier: Apache-2.0
import io.holdfast.redis.RedisProvider;
import io.holdfast.spi.BackendProvider;
import org.jspecify.annotations.NullMarked;

/** Locks in Redis: one server, Sentinel or Cluster. */
@NullMarked
@SuppressWarnings("requires-automatic") // Lettuce has no module descriptor, but a fixed name.
module io.holdfast.redis {
  requires transitive io.holdfast;
  requires lettuce.core;
  requires org.slf4j;

  exports io.holdfast.redis;

  provides BackendProvider with
      RedisProvider;
}
