// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One acquire and one release by one thread, with nobody else about: what the runtime itself costs,
 * because the memory store costs next to nothing.
 *
 * <p>{@code java.util.concurrent} stands beside it for scale, not for comparison: a lock of the JVM
 * has no lease, no deadline, no token and no loss.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class UncontendedLock {
  private static final Duration WAIT = Duration.ofSeconds(1);

  private final Holdfast holdfast = Holdfast.builder("memory:").shutdownHook(false).build();
  private final DistributedLock lock = holdfast.lock("table:12");
  private final AsyncLock async = lock.async();

  // Without the hop to another thread and back, which is most of what a future costs here.
  private final Holdfast direct =
      Holdfast.builder("memory:").shutdownHook(false).callbacks(Runnable::run).build();
  private final AsyncLock asyncDirect = direct.lock("table:12").async();

  private final ReentrantLock reentrantLock = new ReentrantLock();
  private final Semaphore semaphore = new Semaphore(1);

  @TearDown
  public void close() {
    holdfast.close();
    direct.close();
  }

  @Benchmark
  public boolean tryAcquire() {
    return lock.tryAcquire().orElseThrow().release();
  }

  @Benchmark
  public boolean acquire() throws InterruptedException {
    return lock.acquire(WAIT).release();
  }

  @Benchmark
  public boolean asyncTryAcquire() {
    return async.tryAcquire().thenCompose(lease -> async.release(lease.orElseThrow())).join();
  }

  @Benchmark
  public boolean asyncAcquire() {
    return async.acquire(WAIT).thenCompose(async::release).join();
  }

  @Benchmark
  public boolean asyncTryAcquireDirect() {
    return asyncDirect
        .tryAcquire()
        .thenCompose(lease -> asyncDirect.release(lease.orElseThrow()))
        .join();
  }

  @Benchmark
  public boolean asyncAcquireDirect() {
    return asyncDirect.acquire(WAIT).thenCompose(asyncDirect::release).join();
  }

  @Benchmark
  public boolean reentrantLock() {
    reentrantLock.lock();
    try {
      return reentrantLock.isHeldByCurrentThread();
    } finally {
      reentrantLock.unlock();
    }
  }

  @Benchmark
  public int semaphore() throws InterruptedException {
    semaphore.acquire();
    try {
      return semaphore.availablePermits();
    } finally {
      semaphore.release();
    }
  }
}
