// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.FaultyBackend.Signal;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/** The way of the signals from the store through the bad network to core. */
record FaultyContext(BackendContext core, BiConsumer<Signal, Runnable> network)
    implements BackendContext {

  @Override
  public Origin origin() {
    return core.origin();
  }

  @Override
  public RandomGenerator random() {
    return core.random();
  }

  @Override
  public Moment now() {
    return core.now();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    core.after(delay, task);
  }

  @Override
  public void granted(Holder holder, Acquisition.Granted grant) {
    network.accept(Signal.GRANTED, () -> core.granted(holder, grant));
  }

  @Override
  public void retry(String name) {
    network.accept(Signal.RETRY, () -> core.retry(name));
  }

  @Override
  public void lost(Holder holder, LossCause cause) {
    network.accept(Signal.LOST, () -> core.lost(holder, cause));
  }

  @Override
  public void shortened(Object lane, Duration by) {
    core.shortened(lane, by);
  }
}
