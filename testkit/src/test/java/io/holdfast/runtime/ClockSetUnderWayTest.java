// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The machine's clock is set back at some moment of a renewal, and set right after it: whichever
 * moment that is, nobody else gets the lock while its holder believes to hold it.
 */
@Tag("file")
class ClockSetUnderWayTest {
  private static final Duration AN_HOUR = Duration.ofHours(1);
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);
  private static final int MOMENTS = 60;

  @TempDir private Path directory;

  /** Each look at the clock is a moment at which it can be set. */
  private static final class Moments implements TimeSource {
    private final ManualTime time = new ManualTime();
    private final AtomicInteger looksLeft = new AtomicInteger(-1);

    @Override
    public Moment now() {
      if (looksLeft.getAndDecrement() == 0) {
        time.jumpWall(AN_HOUR.negated());
      }
      return time.now();
    }

    @Override
    public void after(Duration delay, Runnable task) {
      time.after(delay, task);
    }

    /** The clock is right again, if it was set back before. */
    void setRight() {
      if (looksLeft.getAndSet(-1) < 0) {
        time.jumpWall(AN_HOUR);
      }
    }
  }

  /** Has a lease renewed, and returns when that was answered. */
  private interface Renewing {
    void run(Lease lease, Moments time, Semaphore renewals) throws Exception;
  }

  @Test
  void of_a_renewal_that_was_asked_for_lets_no_second_holder_in() throws Exception {
    setBackAtEachMomentOf((lease, time, renewals) -> lease.renew());
  }

  @Test
  void of_a_renewal_that_fell_due_lets_no_second_holder_in() throws Exception {
    setBackAtEachMomentOf(
        (lease, time, renewals) -> {
          time.time.advance(LEASE_TIME.dividedBy(2));
          assertThat(renewals.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        });
  }

  private void setBackAtEachMomentOf(Renewing renewal) throws Exception {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments time = new Moments();
      Semaphore renewals = new Semaphore(0);
      try (Holdfast holder = open(time, renewals);
          Holdfast other = open(time.time, new Semaphore(0))) {
        Lease lease = holder.lock("n" + looks).tryAcquire().orElseThrow();
        time.looksLeft.set(looks);
        renewal.run(lease, time, renewals);
        time.setRight();
        boolean isFree = other.lock("n" + looks).tryAcquire().isPresent();
        assertThat(isFree && lease.isHeld()).as("two hold it, at moment %d", looks).isFalse();
      }
    }
  }

  private Holdfast open(TimeSource time, Semaphore renewals) {
    return Holdfast.builder("file:" + directory)
        .leaseTime(LEASE_TIME)
        .time(time)
        .callbacks(Runnable::run)
        .shutdownHook(false)
        .listener(
            new LockListener() {
              @Override
              public void renewed(Renewed event) {
                renewals.release();
              }
            })
        .build();
  }
}
