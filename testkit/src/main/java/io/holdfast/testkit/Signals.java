// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** A process in the place of core: it remembers what the backend tells it. */
final class Signals implements BackendContext {
  private final TimeSource time;
  private final Origin origin;
  private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
  private final Map<Holder, Granted> grants = new ConcurrentHashMap<>();
  private final Map<Holder, LossCause> losses = new ConcurrentHashMap<>();

  private final AtomicInteger numberOfGrants = new AtomicInteger();

  Signals(TimeSource time, Origin origin) {
    this.time = time;
    this.origin = origin;
  }

  Optional<Granted> grantOf(Holder holder) {
    return Optional.ofNullable(grants.get(holder));
  }

  int numberOfGrants() {
    return numberOfGrants.get();
  }

  Optional<LossCause> lossOf(Holder holder) {
    return Optional.ofNullable(losses.get(holder));
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public Moment now() {
    return time.now();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    time.after(delay, task);
  }

  @Override
  public void granted(Holder holder, Granted grant) {
    numberOfGrants.incrementAndGet();
    grants.putIfAbsent(holder, grant);
  }

  @Override
  public void retry(String name) {}

  @Override
  public void lost(Holder holder, LossCause cause) {
    losses.putIfAbsent(holder, cause);
  }
}
