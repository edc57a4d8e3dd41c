// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Several threads of one process want one lock all the time: how many get it per second, with local
 * passes and without. The count is that of all threads together; {@code -t} changes their number.
 *
 * <p>Each hand-over wakes the one thread whose turn it is, and that wake-up is most of the price.
 * The memory store answers at once; over a network, passes save round trips as well.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@Threads(4)
public class ContendedLock {
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final Holdfast passing = Holdfast.builder("memory:").shutdownHook(false).build();
  private final Holdfast queueing =
      Holdfast.builder("memory:").shutdownHook(false).localPasses(0, Duration.ZERO).build();
  private final DistributedLock withPasses = passing.lock("table:12");
  private final DistributedLock withoutPasses = queueing.lock("table:12");

  @TearDown
  public void close() {
    passing.close();
    queueing.close();
  }

  @Benchmark
  public boolean withPasses() throws InterruptedException {
    return withPasses.acquire(WAIT).release();
  }

  @Benchmark
  public boolean withoutPasses() throws InterruptedException {
    return withoutPasses.acquire(WAIT).release();
  }
}
