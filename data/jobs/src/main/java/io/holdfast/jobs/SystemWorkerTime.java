// SPDX-License-Identifier: Apache-2.0
package io.holdfast.jobs;

import io.holdfast.spi.Moment;
import java.util.concurrent.TimeUnit;

/** The system's clocks. The only place of this module that reads a clock or sleeps. */
final class SystemWorkerTime implements WorkerTime {

  @Override
  public Moment now() {
    return new Moment(nanos(), TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()));
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
  }

  @Override
  public void await(Object monitor, long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
  }
}
