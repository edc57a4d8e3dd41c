// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that do one thing over and over: for a while unmeasured, then measured. The counters are
 * read while the threads stand still, between the two and at the end.
 */
public final class Crew {
  /** One operation of one thread. */
  public interface Work {
    void run(int thread) throws Exception;
  }

  /** What the threads did. */
  public record Result(List<Long> operations, Histogram nanos, double seconds) {
    /** By all threads together. */
    public long total() {
      return operations.stream().mapToLong(Long::longValue).sum();
    }

    /** How much more the luckiest thread got than the unluckiest. */
    public double fairness() {
      long most = Collections.max(operations);
      long least = Collections.min(operations);
      return least == 0 ? Double.POSITIVE_INFINITY : (double) most / least;
    }
  }

  /** So many histograms of three digits would need gigabytes. */
  private static final int MANY = 1000;

  private final int threads;
  private final Work work;
  private final long[] operations;
  private final List<Histogram> histograms = new ArrayList<>();
  private final Phaser pace;
  private volatile boolean stop;
  private volatile @Nullable Exception failure;

  private Crew(int threads, Work work) {
    this.threads = threads;
    this.work = work;
    this.operations = new long[threads];
    this.pace = new Phaser(threads + 1);
  }

  /**
   * Runs the threads.
   *
   * @param standing called twice while the threads stand still: before and after what is measured
   */
  public static Result run(
      int threads, Duration warmUp, Duration time, Work work, Runnable standing) throws Exception {
    return new Crew(threads, work).measure(warmUp, time, standing);
  }

  private Result measure(Duration warmUp, Duration time, Runnable standing) throws Exception {
    CountDownLatch ended = new CountDownLatch(threads);
    int digits = threads > MANY ? 2 : 3;
    for (int i = 0; i < threads; i++) {
      int number = i;
      Histogram histogram = new Histogram(digits);
      histograms.add(histogram);
      Thread thread = new Thread(() -> live(number, histogram, ended), "bench-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    phase(warmUp);
    histograms.forEach(Histogram::reset);
    Arrays.fill(operations, 0);
    standing.run();
    long startNanos = System.nanoTime();
    phase(time);
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    standing.run();
    pace.arriveAndDeregister();
    ended.await();
    Exception failed = failure;
    if (failed != null) {
      throw failed;
    }
    Histogram all = new Histogram(3);
    histograms.forEach(all::add);
    return new Result(Arrays.stream(operations).boxed().toList(), all, seconds);
  }

  /** Lets the threads run for this long, and waits until they stand still. */
  private void phase(Duration time) throws InterruptedException {
    stop = false;
    pace.arriveAndAwaitAdvance();
    Thread.sleep(time.toMillis());
    stop = true;
    pace.arriveAndAwaitAdvance();
  }

  private void live(int number, Histogram histogram, CountDownLatch ended) {
    for (int phase = 0; phase < 2; phase++) {
      pace.arriveAndAwaitAdvance();
      while (!stop && failure == null) {
        operate(number, histogram);
      }
      pace.arriveAndAwaitAdvance();
    }
    pace.arriveAndAwaitAdvance(); // Not to end before the counters of threads are read.
    ended.countDown();
  }

  private void operate(int number, Histogram histogram) {
    long startNanos = System.nanoTime();
    try {
      work.run(number);
    } catch (Exception failed) {
      failure = failed;
      return;
    }
    histogram.recordValue(System.nanoTime() - startNanos);
    operations[number]++;
  }
}
