// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Release while a slot migrates: then a script may touch only keys that exist, and all of them at
 * one server. The lock's own key says how the lock is held. An exclusive hold is that key; a shared
 * hold or a permit is in two more, which always exist with it but may be at different servers for a
 * moment. Until they are together nothing is known of the hold, and the release is repeated.
 * Clients that wait find out by asking.
 */
final class MigratingRelease {
  /** The pauses between them double: 1.3 seconds in all. */
  private static final int TRIES = 8;

  private final BackendContext context;
  private final Topology topology;

  MigratingRelease(BackendContext context, Topology topology) {
    this.context = context;
    this.topology = topology;
  }

  /** Completes with whether it held the lock; fails if that cannot be known yet. */
  CompletableFuture<Boolean> send(Keys.LockKeys lock, String holder) {
    return send(lock, holder, 1);
  }

  private CompletableFuture<Boolean> send(Keys.LockKeys lock, String holder, int tries) {
    return eval(Script.RELEASE_ONE, new String[] {lock.lock()}, holder)
        .thenCompose(
            reply ->
                Script.number(reply, 2) == 1
                    ? eval(Script.RELEASE_SHARED, lock.shared(), holder)
                    : CompletableFuture.completedFuture(reply))
        .thenApply(reply -> Script.number(reply, 0) == 1)
        .exceptionallyCompose(
            failure ->
                tries < TRIES && "TRYAGAIN".equals(Failures.codeOf(failure))
                    ? pause(tries).thenCompose(passed -> send(lock, holder, tries + 1))
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<List<Object>> eval(Script script, String[] keys, String holder) {
    return topology.eval(script, keys, wire -> new String[] {holder});
  }

  private CompletableFuture<Boolean> pause(int tries) {
    CompletableFuture<Boolean> passed = new CompletableFuture<>();
    context.after(Duration.ofMillis(5L << tries), () -> passed.complete(true));
    return passed;
  }
}
