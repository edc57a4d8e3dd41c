// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A backend that counts the renewals on their way to the store. */
final class CountedRenewals extends ForwardingBackend {

  /**
   * What was counted.
   *
   * @param calls how many requests to renew were sent
   * @param holds how many holds they carried in all
   * @param largest how many holds the largest of them carried
   */
  record Count(long calls, long holds, int largest) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition counted = lock.newCondition();
  private Count count = new Count(0, 0, 0);

  CountedRenewals(LockBackend store) {
    super(store);
  }

  void restart() {
    lock.lock();
    try {
      count = new Count(0, 0, 0);
    } finally {
      lock.unlock();
    }
  }

  Count count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until so many holds have been sent; false if they were not in time. */
  boolean awaitHolds(long holds, Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lock();
    try {
      while (count.holds < holds && nanos > 0) {
        nanos = counted.awaitNanos(nanos);
      }
      return count.holds >= holds;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    lock.lock();
    try {
      count =
          new Count(
              count.calls + 1, count.holds + holds.size(), Math.max(count.largest, holds.size()));
      counted.signalAll();
    } finally {
      lock.unlock();
    }
    return super.renew(holds);
  }
}
