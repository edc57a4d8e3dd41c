// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.Origin;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Collects the settings, and puts the parts together. */
public final class HoldfastBuilder implements Holdfast.Builder {
  /** Half of what {@code docker stop} waits before it kills, so that there is time to release. */
  private static final Duration SHUTDOWN_GRACE = Duration.ofSeconds(5);

  private final Supplier<LockBackend> backend;
  private final Environment environment = new Environment(System.getenv());
  private final List<LockListener> listeners = new ArrayList<>();
  private LeaseTimes leaseTimes = LeaseTimes.from(environment);
  private @Nullable Duration maxHold = environment.time("HOLDFAST_MAX_HOLD").orElse(null);
  private Duration shortestPoll = environment.time("HOLDFAST_POLL_SHORTEST", Duration.ofMillis(20));
  private Duration longestPoll = environment.time("HOLDFAST_POLL_LONGEST", Pacing.LONGEST_POLL);
  private int passes = validPasses(environment.number("HOLDFAST_PASSES", 128));
  private Duration passTime = environment.time("HOLDFAST_PASS_TIME", Duration.ofMillis(20));
  private String application =
      environment.text("HOLDFAST_APPLICATION").orElseGet(ThisProcess::application);
  private String correlationKey = "correlationId";
  private boolean shutdownHook = environment.flag("HOLDFAST_SHUTDOWN_HOOK", true);
  private Duration shutdownGrace = environment.time("HOLDFAST_SHUTDOWN_GRACE", SHUTDOWN_GRACE);
  private boolean spinWhileWaiting = environment.flag("HOLDFAST_SPIN", true);
  private Waiting spinning = Waiting.SPINNING;
  private @Nullable Executor callbacks;
  private @Nullable TimeSource time;
  private @Nullable RandomGenerator random;
  private @Nullable Origin origin;

  private HoldfastBuilder(Supplier<LockBackend> backend) {
    this.backend = backend;
  }

  public static HoldfastBuilder of(String address) {
    return new HoldfastBuilder(() -> BackendProvider.backendAt(address));
  }

  public static HoldfastBuilder of(LockBackend backend) {
    return new HoldfastBuilder(() -> backend);
  }

  public static HoldfastBuilder fromEnvironment() {
    return of(
        new Environment(System.getenv())
            .text("HOLDFAST_URL")
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "set HOLDFAST_URL to the address of a store, such as file: or"
                            + " redis://localhost:6379, or pass an address to connect")));
  }

  @Override
  public HoldfastBuilder leaseTime(Duration leaseTime) {
    this.leaseTimes =
        new LeaseTimes(Times.positive(leaseTime, "the lease time"), "the builder's leaseTime");
    return this;
  }

  @Override
  public HoldfastBuilder maxHold(Duration maxHold) {
    this.maxHold = Times.positive(maxHold, "the longest hold");
    return this;
  }

  @Override
  public HoldfastBuilder pacing(Duration shortest, Duration longest) {
    this.shortestPoll = shortest;
    this.longestPoll = longest;
    return this;
  }

  @Override
  public HoldfastBuilder localPasses(int count, Duration time) {
    this.passes = validPasses(count);
    this.passTime = Times.notNegative(time, "the time for local passes");
    return this;
  }

  /** A store mints the tokens for the passes with the grant, a microsecond each: not too many. */
  private static int validPasses(int count) {
    if (count < 0 || count > 999) {
      throw new IllegalArgumentException("local passes are between 0 and 999, not " + count);
    }
    return count;
  }

  @Override
  public HoldfastBuilder application(String application) {
    this.application = application;
    return this;
  }

  @Override
  public HoldfastBuilder correlationKey(String key) {
    this.correlationKey = key;
    return this;
  }

  @Override
  public HoldfastBuilder listener(LockListener listener) {
    listeners.add(listener);
    return this;
  }

  @Override
  public HoldfastBuilder callbacks(Executor executor) {
    this.callbacks = executor;
    return this;
  }

  @Override
  public HoldfastBuilder shutdownHook(boolean enabled) {
    this.shutdownHook = enabled;
    return this;
  }

  @Override
  public HoldfastBuilder shutdownGrace(Duration grace) {
    this.shutdownGrace = Times.notNegative(grace, "the grace at shutdown");
    return this;
  }

  @Override
  public HoldfastBuilder spinWhileWaiting(boolean enabled) {
    this.spinWhileWaiting = enabled;
    return this;
  }

  @Override
  public HoldfastBuilder time(TimeSource time) {
    this.time = time;
    return this;
  }

  @Override
  public HoldfastBuilder random(RandomGenerator random) {
    this.random = random;
    return this;
  }

  /** How threads wait if they may spin, for tests. */
  HoldfastBuilder spinning(Waiting spinning) {
    this.spinning = spinning;
    return this;
  }

  /** As if this were a clone of that process, for tests. */
  HoldfastBuilder origin(Origin origin) {
    this.origin = origin;
    return this;
  }

  @Override
  public Holdfast build() {
    List<Runnable> afterClose = new ArrayList<>();
    try {
      return build(afterClose);
    } catch (RuntimeException failed) {
      afterClose.forEach(Runnable::run);
      throw failed;
    }
  }

  private Holdfast build(List<Runnable> afterClose) {
    TimeSource clock = time == null ? systemTime(afterClose) : time;
    Executor threads =
        new Callbacks(callbacks == null ? callbackThreads(clock, afterClose) : callbacks);
    LockBackend store = backend.get();
    try {
      LockRuntime runtime = runtime(store, clock, threads, afterClose);
      store.start(runtime.router());
      return new OpenHoldfast(runtime, shutdownHook, () -> afterClose.forEach(Runnable::run));
    } catch (RuntimeException unfit) {
      store.close();
      throw unfit;
    }
  }

  private LockRuntime runtime(
      LockBackend store, TimeSource clock, Executor threads, List<Runnable> afterClose) {
    RandomGenerator chance = random == null ? () -> ThreadLocalRandom.current().nextLong() : random;
    Settings settings =
        new Settings(
            leaseTimes.in(store.guarantees()),
            maxHold,
            new Pacing(shortestPoll, longestPoll, chance),
            passes,
            passTime,
            shutdownGrace,
            spinWhileWaiting ? spinning : Waiting.SLEEPING,
            correlationKey,
            List.copyOf(listeners),
            threads);
    Origin self = origin == null ? ThisProcess.origin(application, random) : origin;
    // What a clone of this process shares with it is outside of its memory.
    boolean isShared = random == null && !(store instanceof MemoryBackend);
    LongSupplier entropy = isShared ? systemEntropy(afterClose) : chance::nextLong;
    return new LockRuntime(store, settings, clock, self, chance, entropy);
  }

  private static TimeSource systemTime(List<Runnable> afterClose) {
    SystemTime system = new SystemTime();
    afterClose.add(system::close);
    return system;
  }

  private static LongSupplier systemEntropy(List<Runnable> afterClose) {
    SystemEntropy system = new SystemEntropy();
    afterClose.add(system::close);
    return system;
  }

  private static Executor callbackThreads(TimeSource clock, List<Runnable> afterClose) {
    CallbackThreads threads = new CallbackThreads(clock);
    afterClose.add(threads::close);
    return threads;
  }
}
