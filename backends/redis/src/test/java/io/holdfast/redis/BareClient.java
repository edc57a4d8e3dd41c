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
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client without core: it sends what a test says, when it says it, and renews nothing. */
final class BareClient implements BackendContext, AutoCloseable {
  /** What is due so late is run when a test says so; all that the tests wait for is sooner. */
  private static final Duration LATER = Duration.ofSeconds(2);

  private record Later(Duration delay, Runnable task) {}

  private final Origin origin;
  private final LockBackend backend;
  private final AtomicLong aheadNanos = new AtomicLong();
  private final BlockingQueue<Long> served = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> retried = new LinkedBlockingQueue<>();
  private final BlockingQueue<Long> lost = new LinkedBlockingQueue<>();
  private final BlockingQueue<Later> later =
      new PriorityBlockingQueue<>(16, Comparator.comparing(Later::delay));

  BareClient(String address) {
    this(address, UUID.randomUUID().toString().replace("-", ""));
  }

  /** A client with this id, which another may have too. */
  BareClient(String address, String process) {
    this.origin = new Origin(process, "test", 1, "test");
    this.backend = BackendProvider.backendAt(patient(address));
    backend.start(this);
  }

  /** The default time-out is too short to connect on a busy machine. */
  private static String patient(String address) {
    boolean isSet = address.contains("timeout=");
    return isSet ? address : address + (address.contains("?") ? "&" : "?") + "timeout=4s";
  }

  /** Puts the client's own time forward. */
  void pass(Duration time) {
    aheadNanos.addAndGet(time.toNanos());
  }

  LockBackend backend() {
    return backend;
  }

  CompletableFuture<Acquisition> acquire(String name, long number, Duration patience) {
    return backend.acquire(request(name, number, patience)).toCompletableFuture();
  }

  AcquireRequest request(String name, long number, Duration patience) {
    return new AcquireRequest(hold(name, number), patience, 0, now(), null);
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

  /** The number of the next holder whose hold was lost. */
  @Nullable Long lost() throws InterruptedException {
    return lost.poll(30, TimeUnit.SECONDS);
  }

  /** Runs what was to be done later, in order. */
  void runLater() {
    List<Later> due = new ArrayList<>();
    later.drainTo(due);
    due.forEach(each -> each.task().run());
  }

  private Hold hold(String name, long number) {
    Holder holder = new Holder(origin.process(), number);
    return new Hold(name, holder, Mode.EXCLUSIVE, Duration.ofMinutes(10));
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
    if (delay.compareTo(LATER) >= 0) {
      later.add(new Later(delay, task));
      return;
    }
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
  public void lost(Holder holder, LossCause cause) {
    lost.add(holder.number());
  }

  @Override
  public void close() {
    backend.close();
  }
}
