// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/** A view of a lock: its runtime and its terms, and nothing else. */
final class LockView implements DistributedLock {
  private final LockRuntime runtime;
  private final JavaLocks javaLocks;
  private final Terms terms;

  LockView(LockRuntime runtime, JavaLocks javaLocks, Terms terms) {
    this.runtime = runtime;
    this.javaLocks = javaLocks;
    this.terms = terms;
  }

  @Override
  public String name() {
    return terms.name();
  }

  @Override
  public Mode mode() {
    return terms.mode();
  }

  @Override
  public DistributedLock shared() {
    if (terms.mode() instanceof Mode.Permits) {
      throw new IllegalArgumentException(
          "'" + name() + "' is a semaphore, which has no shared mode");
    }
    runtime.requireCapability(Capability.SHARED, "shared locks");
    return with(terms.shared());
  }

  @Override
  public DistributedLock withLeaseTime(Duration leaseTime) {
    return with(terms.withLeaseTime(runtime.validLeaseTime(leaseTime)));
  }

  @Override
  public DistributedLock withoutRenewal() {
    return with(terms.withoutRenewal());
  }

  @Override
  public DistributedLock withMaxHold(Duration maxHold) {
    return with(terms.withMaxHold(Times.positive(maxHold, "the longest hold")));
  }

  @Override
  public DistributedLock withPurpose(String purpose) {
    return with(terms.withPurpose(Names.validPurpose(purpose)));
  }

  private DistributedLock with(Terms other) {
    return new LockView(runtime, javaLocks, other);
  }

  @Override
  public Optional<Lease> tryAcquire() {
    return runtime.await(begin(Duration.ZERO).answer());
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    Times.notNegative(wait, "the wait");
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return begin(wait).await();
  }

  private Request begin(Duration wait) {
    return runtime.router().whileCallerWaits(() -> Request.begin(runtime, terms, wait));
  }

  @Override
  public Lease acquire(Duration wait) throws InterruptedException {
    return tryAcquire(wait).orElseThrow(() -> new LockTimeoutException(name(), wait));
  }

  @Override
  public <T, E extends Exception> T call(Duration wait, LeasedCall<T, E> work)
      throws E, InterruptedException {
    RenewingLease lease = (RenewingLease) acquire(wait);
    T result;
    try {
      result = work.call(lease);
    } catch (Throwable failed) {
      lease.close();
      throw failed;
    }
    if (!lease.releaseQuietly()) {
      throw lease.lostException();
    }
    return result;
  }

  @Override
  public <E extends Exception> void run(Duration wait, LeasedRun<E> work)
      throws E, InterruptedException {
    this.<Boolean, E>call(
        wait,
        lease -> {
          work.run(lease);
          return true;
        });
  }

  @Override
  public AsyncLock async() {
    return new AsyncView(runtime, terms);
  }

  @Override
  public Lock asJavaLock() {
    return javaLocks.view(this);
  }

  @Override
  public LockState inspect() {
    return runtime.ask(() -> runtime.backend().inspect(name()), "inspect", name());
  }

  @Override
  public String toString() {
    return "lock '" + name() + "' (" + mode() + ")";
  }
}
