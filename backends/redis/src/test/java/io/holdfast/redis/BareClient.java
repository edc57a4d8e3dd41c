// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client without core: it sends what a test says, when it says it, and renews nothing. */
final class BareClient implements BackendContext, AutoCloseable {
  private final Origin origin =
      new Origin(UUID.randomUUID().toString().replace("-", ""), "test", 1, "test");
  private final LockBackend backend;
  private final AtomicLong aheadNanos = new AtomicLong();
  private final BlockingQueue<Long> served = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> retried = new LinkedBlockingQueue<>();

  BareClient(String address) {
    this.backend = BackendProvider.backendAt(address);
    backend.start(this);
  }

  /** Puts the client's own time forward. */
  void pass(Duration time) {
    aheadNanos.addAndGet(time.toNanos());
  }

  LockBackend backend() {
    return backend;
  }

  CompletableFuture<Acquisition> acquire(String name, long number, Duration patience) {
    return backend
        .acquire(new AcquireRequest(hold(name, number), patience, 0, now(), null))
        .toCompletableFuture();
  }

  CompletableFuture<Boolean> release(String name, long number) {
    return backend.release(hold(name, number)).toCompletableFuture();
  }

  /** The number of the next waiter that was made a holder. */
  @Nullable Long served() throws InterruptedException {
    return served.poll(30, TimeUnit.SECONDS);
  }

  /** The next lock for which waiters were told to ask again. */
  @Nullable String retried() throws InterruptedException {
    return retried.poll(30, TimeUnit.SECONDS);
  }

  private Hold hold(String name, long number) {
    Holder holder = new Holder(origin.process(), number);
    return new Hold(name, holder, Mode.EXCLUSIVE, Duration.ofMinutes(1));
  }

  /** Takes so many locks whose names begin so, many at a time. */
  List<Hold> take(String prefix, int count, Duration lease) throws Exception {
    List<Hold> holds = new ArrayList<>();
    List<CompletionStage<Acquisition>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Holder holder = new Holder(origin.process(), i + 1);
      Hold hold = new Hold(prefix + i, holder, Mode.EXCLUSIVE, lease);
      holds.add(hold);
      asked.add(backend.acquire(new AcquireRequest(hold, Duration.ZERO, 0, now(), null)));
      if (i % 500 == 499) {
        asked.get(i).toCompletableFuture().get(30, TimeUnit.SECONDS);
      }
    }
    for (CompletionStage<Acquisition> each : asked) {
      if (!(each.toCompletableFuture().get(30, TimeUnit.SECONDS) instanceof Granted)) {
        throw new AssertionError("not granted");
      }
    }
    return holds;
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public Moment now() {
    return new Moment(
        System.nanoTime() + aheadNanos.get(),
        ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()));
  }

  @Override
  public void after(Duration delay, Runnable task) {
    CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
  }

  @Override
  public RandomGenerator random() {
    return RandomGenerator.getDefault();
  }

  @Override
  public void granted(Holder holder, Granted grant) {
    served.add(holder.number());
  }

  @Override
  public void retry(String name) {
    retried.add(name);
  }

  @Override
  public void lost(Holder holder, LossCause cause) {}

  @Override
  public void close() {
    backend.close();
  }
}
