// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.contenders;

import io.holdfast.benchmarks.harness.Client;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The classic recipe, as it is written by hand: {@code SET NX PX} with a random value, and a script
 * that deletes the key if it still has that value. Who waits asks again every millisecond.
 */
abstract class Recipe implements Client {
  static final String COMPARE_AND_DELETE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
  static final long LEASE_MILLIS = 30_000;

  abstract boolean set(String key, String value);

  abstract void compareAndDelete(String key, String value);

  @Override
  public final @Nullable Taken take(String name, Duration wait) throws InterruptedException {
    String key = "lock:" + name;
    String value = UUID.randomUUID().toString();
    long endNanos = System.nanoTime() + wait.toNanos();
    while (!set(key, value)) {
      if (System.nanoTime() - endNanos >= 0) {
        return null;
      }
      Thread.sleep(1);
    }
    return () -> compareAndDelete(key, value);
  }
}
