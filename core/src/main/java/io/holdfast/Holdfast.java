// SPDX-License-Identifier: Apache-2.0
package io.holdfast;

import io.holdfast.internal.HoldfastBuilder;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The entry point: locks in one store. Make one for each store and application, and close it at the
 * end; it is thread-safe, and what it makes is cheap.
 */
public interface Holdfast extends AutoCloseable {

  /**
   * Connects to the store at {@code HOLDFAST_URL}.
   *
   * @throws IllegalStateException if that variable is not set
   */
  static Holdfast connect() {
    return HoldfastBuilder.fromEnvironment().build();
  }

  /**
   * Connects to a store: {@code memory:}, {@code file:}, or any other scheme whose backend is on
   * the class path or module path.
   *
   * @throws IllegalArgumentException if the address makes no sense, or no backend has its scheme
   * @throws BackendException if the store cannot be used
   */
  static Holdfast connect(String address) {
    return builder(address).build();
  }

  /** Begins to set up a connection to a store. */
  static Builder builder(String address) {
    return HoldfastBuilder.of(address);
  }

  /** Begins to set up the use of a ready backend, which {@link #close()} closes. */
  static Builder builder(LockBackend backend) {
    return HoldfastBuilder.of(backend);
  }

  /**
   * The lock of this name.
   *
   * @throws IllegalArgumentException if the name is blank, longer than 255 bytes in UTF-8, or has
   *     control characters
   */
  DistributedLock lock(String name);

  /**
   * A semaphore: a lock of which so many holders may have one permit each.
   *
   * @throws IllegalArgumentException as {@link #lock} does, or if the limit is below one or the
   *     backend has no semaphores
   */
  DistributedLock semaphore(String name, int limit);

  /**
   * Acquires several locks: all of them within the wait, or none. They are taken in the order of
   * their names, so that two callers with overlapping sets cannot wait for each other.
   *
   * @throws LockTimeoutException if one of them was not granted in time; the others are released
   * @throws LeaseLostException if one of them was lost before all were granted; the others are
   *     released
   */
  LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException;

  /** An election among those who use this name. */
  Election election(String name);

  /** Who holds a lock now, and who waits. */
  LockState inspect(String name);

  /** The locks that are held or waited for, whose names begin so; at most {@code limit}. */
  List<LockState> list(String prefix, int limit);

  /**
   * Ends somebody else's hold. The holder is told: at once where the backend claims {@code
   * PROMPT_FORCE}, otherwise when it renews. What it does until then overlaps with the next holder.
   *
   * @param expectedToken the token of the hold, as {@link #inspect} shows it: a newer hold is left
   *     alone
   * @param reason why, for the log
   * @return false if no hold with that token was there
   */
  boolean forceRelease(String name, FencingToken expectedToken, String reason);

  /** What the store promises. */
  Guarantees guarantees();

  /**
   * Ends every wait, releases every lease that is still held (they are lost, with the cause {@code
   * CLOSED}), says so in the log, and closes the backend. A second caller waits until the first is
   * done, for at most 30 s.
   */
  @Override
  void close();

  /** Settings; each has a default, and most an environment variable that changes the default. */
  interface Builder {

    /** The lease time of locks that do not say otherwise. 30 s, or {@code HOLDFAST_LEASE_TIME}. */
    Builder leaseTime(Duration leaseTime);

    /** The longest hold of locks that do not say otherwise. None, or {@code HOLDFAST_MAX_HOLD}. */
    Builder maxHold(Duration maxHold);

    /**
     * How to pace requests to a store that must be polled, and the bounds of the fallback poll for
     * all others: from the shortest interval, doubling up to the longest, with jitter. 20 ms and 3
     * s, or {@code HOLDFAST_POLL_SHORTEST} and {@code HOLDFAST_POLL_LONGEST}.
     */
    Builder pacing(Duration shortest, Duration longest);

    /**
     * How often, and for how long after its grant, an exclusive hold may be passed on to waiters of
     * this process before the store gives others their turn. 128 times and 20 ms, or {@code
     * HOLDFAST_PASSES} and {@code HOLDFAST_PASS_TIME}; 0 turns it off.
     */
    Builder localPasses(int count, Duration time);

    /** What the application calls itself. {@code HOLDFAST_APPLICATION}, or the main class. */
    Builder application(String application);

    /** The key of the correlation id in SLF4J's MDC. {@code correlationId}. */
    Builder correlationKey(String key);

    /** Adds a listener. */
    Builder listener(LockListener listener);

    /** Where futures complete and listeners are called. By default, daemon threads as needed. */
    Builder callbacks(Executor executor);

    /**
     * Whether the JVM's shutdown closes this, after the {@linkplain #shutdownGrace grace}. True, or
     * {@code HOLDFAST_SHUTDOWN_HOOK}.
     */
    Builder shutdownHook(boolean enabled);

    /**
     * How long the JVM's shutdown waits for leases to be released. The application's threads run on
     * during a shutdown: until their leases are released, or this time is over, the leases are kept
     * and renewed, while nothing is granted any more. Then they are lost with the cause {@code
     * CLOSED}, and released. The JVM ends no later for it if nothing is held. 5 s, or {@code
     * HOLDFAST_SHUTDOWN_GRACE}; 0 releases at once.
     */
    Builder shutdownGrace(Duration grace);

    /**
     * Whether a thread that waits for the store's answer may spin, for at most 0.3 ms, before it
     * sleeps. One thread of the process does so at a time, only while at most four wait, and seldom
     * where answers come later than that. It saves the time that an idle processor takes to wake
     * up; turn it off where the processors are always busy. True, or {@code HOLDFAST_SPIN}.
     */
    Builder spinWhileWaiting(boolean enabled);

    /** Time, for tests and simulations. */
    Builder time(TimeSource time);

    /** Randomness for ids and jitter, for tests and simulations. Must be thread-safe. */
    Builder random(RandomGenerator random);

    /**
     * Opens and starts the backend.
     *
     * @throws BackendException if the store cannot be used
     */
    Holdfast build();
  }
}
