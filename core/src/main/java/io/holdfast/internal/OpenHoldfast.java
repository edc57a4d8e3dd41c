// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.Election;
import io.holdfast.FencingToken;
import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Holdfast;
import io.holdfast.LeaseGroup;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.internal.Terms.Manner;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entry point: gives out views, and is the one to close. */
final class OpenHoldfast implements Holdfast {
  private static final Logger log = LoggerFactory.getLogger(OpenHoldfast.class);

  /** Longer than the few answers for which closing waits can take. */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(30);

  private final LockRuntime runtime;
  private final Runnable afterClose;
  private final JavaLocks javaLocks = new JavaLocks();
  private final Manner exclusive;
  private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final @Nullable Thread shutdownHook;

  OpenHoldfast(LockRuntime runtime, boolean closesAtShutdown, Runnable afterClose) {
    this.runtime = runtime;
    this.afterClose = afterClose;
    this.exclusive = manner(Mode.EXCLUSIVE);
    this.shutdownHook = closesAtShutdown ? new Thread(this::shutDown, "holdfast-shutdown") : null;
    if (shutdownHook != null) {
      Runtime.getRuntime().addShutdownHook(shutdownHook);
    }
  }

  @Override
  public DistributedLock lock(String name) {
    return view(name, exclusive);
  }

  @Override
  public DistributedLock semaphore(String name, int limit) {
    runtime.requireCapability(Capability.PERMITS, "semaphores");
    return view(name, manner(Mode.permits(1, limit)));
  }

  private LockView view(String name, Manner manner) {
    return new LockView(runtime, javaLocks, new Terms(Names.valid(name), manner));
  }

  private Manner manner(Mode mode) {
    Settings settings = runtime.settings();
    return new Manner(mode, settings.leaseTime(), true, settings.maxHold(), null);
  }

  @Override
  public LeaseGroup acquireAll(Collection<String> names, Duration wait)
      throws InterruptedException {
    return AcquiredTogether.acquire(runtime, name -> view(name, exclusive), names, wait);
  }

  @Override
  public Election election(String name) {
    return new LockElection(runtime, view(name, exclusive));
  }

  @Override
  public LockState inspect(String name) {
    return lock(name).inspect();
  }

  @Override
  public List<LockState> list(String prefix, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a list is at least 1, not " + limit);
    }
    return runtime.ask(() -> runtime.backend().list(prefix, limit), "list", prefix);
  }

  @Override
  public boolean forceRelease(String name, FencingToken expectedToken, String reason) {
    Names.valid(name);
    if (reason.isBlank()) {
      throw new IllegalArgumentException("a release by force has a reason");
    }
    long token = expectedToken.value();
    boolean done =
        runtime.ask(
            () -> runtime.backend().forceRelease(name, token, reason), "forceRelease", name);
    runtime.events().forced(name, token, reason, done);
    return done;
  }

  @Override
  public Guarantees guarantees() {
    return runtime.backend().guarantees();
  }

  /** Hooks run beside the application's threads, which may still work under their leases. */
  private void shutDown() {
    new Draining(runtime).await(runtime.settings().shutdownGrace());
    close();
  }

  @Override
  public void close() {
    if (closer.compareAndSet(null, Thread.currentThread())) {
      try {
        runtime.close();
      } finally {
        ended();
      }
    } else if (closer.get() != Thread.currentThread()) {
      awaitClosed();
    }
  }

  /** Whatever failed before, or fails here, the rest goes on: threads end, and callers return. */
  private void ended() {
    try {
      afterClose.run();
    } finally {
      closed.countDown();
      removeShutdownHook();
    }
  }

  /** The JVM ends after its hooks have returned, also in the middle of what another thread does. */
  private void awaitClosed() {
    try {
      if (!closed.await(LONGEST_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
        log.atWarn().log("another thread has not closed this Holdfast within {}", LONGEST_CLOSE);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void removeShutdownHook() {
    if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
      try {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      } catch (IllegalStateException shuttingDown) {
        log.atDebug().log("closed while the JVM shuts down");
      }
    }
  }

  @Override
  public String toString() {
    return "Holdfast on " + guarantees().backend();
  }
}
