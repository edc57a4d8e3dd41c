// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Asynchronous operations, always so many in flight: one that ends begins the next. */
public final class Pipeline {
  /** One operation. */
  public interface Operation {
    CompletionStage<?> start(int lane, long turn);
  }

  /** What was done. */
  public record Result(long operations, Histogram nanos, double seconds) {}

  private final Operation operation;
  private final Recorder nanos = new Recorder(3);
  private final LongAdder done = new LongAdder();
  private final CountDownLatch ended;
  private volatile boolean stop;
  private volatile @Nullable Throwable failure;

  private Pipeline(int lanes, Operation operation) {
    this.operation = operation;
    this.ended = new CountDownLatch(lanes);
  }

  /**
   * Keeps so many in flight.
   *
   * @param standing called twice: before and after what is measured
   */
  public static Result run(
      int lanes, Duration warmUp, Duration time, Operation operation, Runnable standing)
      throws Exception {
    Pipeline pipeline = new Pipeline(lanes, operation);
    for (int lane = 0; lane < lanes; lane++) {
      pipeline.next(lane, 0);
    }
    Thread.sleep(warmUp.toMillis());
    standing.run();
    var unused = pipeline.nanos.getIntervalHistogram();
    pipeline.done.reset();
    long startNanos = System.nanoTime();
    Thread.sleep(time.toMillis());
    long operations = pipeline.done.sum();
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    Histogram histogram = pipeline.nanos.getIntervalHistogram();
    standing.run();
    pipeline.stop = true;
    pipeline.ended.await();
    Throwable failed = pipeline.failure;
    if (failed != null) {
      throw new IllegalStateException("an operation failed", failed);
    }
    return new Result(operations, histogram, seconds);
  }

  private void next(int lane, long turn) {
    if (stop || failure != null) {
      ended.countDown();
      return;
    }
    long startNanos = System.nanoTime();
    var unused =
        operation
            .start(lane, turn)
            .whenComplete(
                (value, failed) -> {
                  if (failed != null) {
                    failure = failed;
                  }
                  nanos.recordValue(System.nanoTime() - startNanos);
                  done.increment();
                  next(lane, turn + 1);
                });
  }
}
