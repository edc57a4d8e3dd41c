// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/** Runs what is due when a test says so. */
final class LaterContext implements BackendContext {
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Deque<Duration> delays = new ArrayDeque<>();
  private long nanos;

  Duration runNext() {
    tasks.remove().run();
    Duration delay = delays.remove();
    pass(delay);
    return delay;
  }

  boolean isIdle() {
    return tasks.isEmpty();
  }

  void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    tasks.add(task);
    delays.add(delay);
  }

  @Override
  public Moment now() {
    return new Moment(nanos, nanos);
  }

  @Override
  public Origin origin() {
    return new Origin("process", "test", 1, "test");
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void granted(Holder holder, Granted grant) {}

  @Override
  public void retry(String name) {}

  @Override
  public void lost(Holder holder, LossCause cause) {}
}
