// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A file backend with the system's time and what it was told by signals. Its wall clock can be set,
 * and what is due in more than some seconds is run on demand.
 */
final class FileClient implements BackendContext, AutoCloseable {
  static final Duration LEASE_TIME = Duration.ofMinutes(20);
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final AtomicLong COUNT = new AtomicLong();

  final FileBackend backend;
  final Map<Holder, Granted> granted = new ConcurrentHashMap<>();
  final Map<Holder, LossCause> lost = new ConcurrentHashMap<>();
  private final SystemTime time = new SystemTime();
  private final Origin origin;
  private final AtomicLong holders = new AtomicLong();
  private final AtomicLong offsetNanos = new AtomicLong();
  private final List<Runnable> muchLater = new CopyOnWriteArrayList<>();

  private FileClient(FileBackend backend) {
    this.backend = backend;
    long pid = ProcessHandle.current().pid();
    String process = "client" + pid + "x" + COUNT.incrementAndGet();
    this.origin = new Origin(process, "host", pid, "test");
  }

  static FileClient in(Path directory) {
    return in(directory, Duration.ZERO);
  }

  /** With a wall clock that is set so far ahead, or back. */
  static FileClient in(Path directory, Duration ahead) {
    return started(directory, Duration.ZERO, ahead);
  }

  /** What it holds outlives it for so long. */
  static FileClient lingering(Path directory, Duration linger) {
    return started(directory, linger, Duration.ZERO);
  }

  private static FileClient started(Path directory, Duration linger, Duration ahead) {
    FileClient client =
        new FileClient(new FileBackend(new FilePlace(directory, true, false, false, linger)));
    client.setClock(ahead);
    client.backend.start(client);
    return client;
  }

  void setClock(Duration ahead) {
    offsetNanos.set(ahead.toNanos());
  }

  void runWhatIsDueMuchLater() {
    List<Runnable> due = new ArrayList<>(muchLater);
    muchLater.removeAll(due);
    due.forEach(Runnable::run);
  }

  Hold hold(String name) {
    return hold(name, Mode.EXCLUSIVE);
  }

  Hold hold(String name, Mode mode) {
    return new Hold(
        name, new Holder(origin.process(), holders.incrementAndGet()), mode, LEASE_TIME);
  }

  Acquisition acquire(Hold hold, Duration patience) {
    return await(backend.acquire(new AcquireRequest(hold, patience, 0, now(), "testing")));
  }

  long acquireNow(Hold hold) {
    Acquisition answer = acquire(hold, Duration.ZERO);
    assertThat(answer).as("the answer for %s", hold.name()).isInstanceOf(Granted.class);
    return ((Granted) answer).token();
  }

  boolean release(Hold hold) {
    return await(backend.release(hold));
  }

  LockState inspect(String name) {
    return await(backend.inspect(name));
  }

  static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** The failure that the stage ends in. */
  static BackendException failureOf(CompletionStage<?> stage) {
    try {
      throw new AssertionError("answered: " + await(stage));
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof BackendException problem) {
        return problem;
      }
      throw failed;
    }
  }

  Granted grantOf(Hold hold) {
    Granted grant = granted.get(hold.holder());
    if (grant == null) {
      throw new AssertionError("no signal for " + hold);
    }
    return grant;
  }

  CompletionStage<Acquisition> asked(Hold hold) {
    return backend.acquire(new AcquireRequest(hold, Duration.ZERO, 0, now(), null));
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public RandomGenerator random() {
    return new Random();
  }

  @Override
  public Moment now() {
    Moment now = time.now();
    return new Moment(now.monotonicNanos(), now.wallNanos() + offsetNanos.get());
  }

  @Override
  public void after(Duration delay, Runnable task) {
    if (delay.compareTo(SOON) > 0) {
      muchLater.add(task);
    } else {
      time.after(delay, task);
    }
  }

  @Override
  public void granted(Holder holder, Granted grant) {
    granted.put(holder, grant);
  }

  @Override
  public void retry(String name) {}

  @Override
  public void lost(Holder holder, LossCause cause) {
    lost.put(holder, cause);
  }

  @Override
  public void close() {
    backend.close();
    time.close();
  }
}
