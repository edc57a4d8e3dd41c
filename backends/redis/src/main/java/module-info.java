// SPDX-License-Identifier: Apache-2.0
import io.holdfast.redis.RedisProvider;
import io.holdfast.spi.BackendProvider;
import org.jspecify.annotations.NullMarked;

/** Locks in Redis: one server, Sentinel or Cluster. */
@NullMarked
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Lettuce has no module descriptor, but a fixed name.
module io.holdfast.redis {
  requires transitive io.holdfast;
  requires transitive lettuce.core; // The guard takes a connection of the caller.
  requires io.netty.buffer;
  requires io.netty.handler;
  requires io.netty.common;
  requires io.netty.transport;
  requires org.slf4j;

  exports io.holdfast.redis;

  provides BackendProvider with
      RedisProvider;
}
