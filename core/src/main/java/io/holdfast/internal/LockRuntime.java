// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Holder;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What the parts of one {@link io.holdfast.Holdfast} share, and the order in which it closes. */
final class LockRuntime {
  /** For how long a store may be silent before core stops waiting for its answer. */
  static final long ANSWER_NANOS = Duration.ofSeconds(5).toNanos();

  private final LockBackend backend;
  private final Settings settings;
  private final TimeSource time;
  private final Router router;
  private final Timetable timetable;
  private final RenewalLanes lanes = new RenewalLanes(this);
  private final LocalQueues localQueues = new LocalQueues(this);
  private final Map<Holder, Departure> departures = new ConcurrentHashMap<>();
  private final AtomicInteger acquiring = new AtomicInteger();
  private final BoundedAnswer<Boolean> quiet = new BoundedAnswer<>("acquire", "at closing");
  private final HolderIds holders;
  private final Events events;
  private final Set<Runnable> leaders = ConcurrentHashMap.newKeySet();
  private volatile boolean granting = true;
  private volatile boolean closed;

  LockRuntime(
      LockBackend backend,
      Settings settings,
      TimeSource time,
      Origin origin,
      RandomGenerator random,
      LongSupplier entropy) {
    this.backend = backend;
    this.settings = settings;
    this.time = time;
    this.holders = new HolderIds(origin.process(), entropy);
    this.router = new Router(time, origin, random);
    this.timetable = new Timetable(time, lanes::flush);
    this.events = new Events(settings);
  }

  LockBackend backend() {
    return backend;
  }

  Settings settings() {
    return settings;
  }

  Pacing pacing() {
    return settings.pacing();
  }

  Router router() {
    return router;
  }

  Timetable timetable() {
    return timetable;
  }

  RenewalLanes lanes() {
    return lanes;
  }

  LocalQueues localQueues() {
    return localQueues;
  }

  Map<Holder, Departure> departures() {
    return departures;
  }

  Events events() {
    return events;
  }

  Moment now() {
    return time.now();
  }

  /** Whether requests are taken: until the JVM shuts down, or this is closed. */
  boolean isGranting() {
    return granting;
  }

  void grantNoMore() {
    granting = false;
  }

  Set<Runnable> leaders() {
    return leaders;
  }

  boolean isClosed() {
    return closed;
  }

  Holder nextHolder() {
    return holders.next();
  }

  Duration validLeaseTime(Duration leaseTime) {
    return LeaseTimes.valid(leaseTime, "withLeaseTime", backend.guarantees());
  }

  void requireCapability(Capability capability, String what) {
    if (!backend.guarantees().claims(capability)) {
      throw new IllegalArgumentException(
          "the " + backend.guarantees().backend() + " backend has no " + what);
    }
  }

  /** Does it as soon as possible, but not on this thread. */
  void soon(Runnable task) {
    after(Duration.ZERO, task);
  }

  void after(Duration delay, Runnable task) {
    time.after(delay, task);
  }

  /**
   * Makes a request and hands on its answer: the value, or what went wrong.
   *
   * @param ifNotAtOnce runs before the handler unless the store answers at once
   */
  <T> void answer(
      Supplier<CompletionStage<T>> request,
      Runnable ifNotAtOnce,
      BiConsumer<@Nullable T, @Nullable BackendException> handler) {
    CompletionStage<T> stage;
    try {
      stage = Objects.requireNonNull(request.get(), "the backend returned no stage");
    } catch (Throwable thrown) {
      stage = CompletableFuture.failedFuture(thrown);
    }
    if (!(stage instanceof CompletableFuture<T> future && future.isDone())) {
      ifNotAtOnce.run();
    }
    Answers.handle(
        stage,
        (value, problem) ->
            handler.accept(value, problem == null ? null : asBackendException(problem)));
  }

  /** The answer to a request, or a failure when the store has been silent for too long. */
  <T> CompletableFuture<T> bounded(Supplier<CompletionStage<T>> request, String verb, String name) {
    BoundedAnswer<T> answer = new BoundedAnswer<>(verb, name);
    answer(request, answer::expect, answer::complete);
    return answer.future;
  }

  private final class BoundedAnswer<T> extends Timetable.Entry {
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final String verb;
    private final String name;
    private long dueNanos;

    BoundedAnswer(String verb, String name) {
      this.verb = verb;
      this.name = name;
    }

    void expect() {
      dueNanos = now().monotonicNanos() + ANSWER_NANOS;
      timetable.schedule(this, dueNanos);
    }

    void complete(@Nullable T value, @Nullable BackendException problem) {
      timetable.cancel(this);
      if (problem != null) {
        future.completeExceptionally(problem);
      } else {
        future.complete(value);
      }
    }

    @Override
    void due(Moment now) {
      if (now.monotonicNanos() - dueNanos >= 0) {
        future.completeExceptionally(
            BackendException.unknown("no answer to " + verb + " '" + name + "'", null));
      }
    }
  }

  /** Waits for an answer that comes in bounded time; an interrupt is kept for later. */
  <T> T await(CompletableFuture<T> answer) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return settings.waiting().answers().await(answer);
        } catch (InterruptedException again) {
          interrupted = true;
        } catch (ExecutionException failed) {
          throw rethrown(failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Requests that look or act on a lock without holding it. */
  <T> T ask(Supplier<CompletionStage<T>> request, String verb, String name) {
    if (closed) {
      throw closed(name);
    }
    return await(bounded(request, verb, name));
  }

  static BackendException closed(String name) {
    return BackendException.refused(
        "this Holdfast is closed; lock '" + name + "' is not held", null);
  }

  static RuntimeException rethrown(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      return unchecked;
    }
    return asBackendException(failure == null ? new CompletionException(null) : failure);
  }

  private static BackendException asBackendException(Throwable problem) {
    Throwable root =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    return root instanceof BackendException known
        ? known
        : BackendException.unknown("the backend failed in a way of its own: " + root, root);
  }

  void acquireSent() {
    acquiring.incrementAndGet();
  }

  /** After all that follows from the answer was begun. */
  void acquireAnswered() {
    if (acquiring.decrementAndGet() == 0 && closed) {
      quiet.complete(true, null);
    }
  }

  /** When closed: completes when every acquire has been answered, or the store is too silent. */
  CompletableFuture<Boolean> quiet() {
    quiet.expect();
    if (acquiring.get() == 0) {
      quiet.complete(true, null);
    }
    return quiet.future;
  }

  /** Ends what is under way, gives everything back, and waits for that a bounded time. */
  void close() {
    grantNoMore();
    closed = true;
    new Closing(this).run();
  }
}
