// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lease is reported stale while its owner releases it, and its hold is passed on. */
class StaleReportTest {
  private static final Duration WAIT = Duration.ofMinutes(1);

  @Test
  void does_not_end_the_next_lease_of_the_same_hold() throws Exception {
    try (Holdfast holdfast =
        Holdfast.builder("memory:")
            .localPasses(1, Duration.ofHours(1))
            .shutdownHook(false)
            .build()) {
      Lease lease = holdfast.lock("a").acquire(WAIT);
      CompletableFuture<Lease> next = holdfast.lock("a").async().acquire(WAIT);
      FencingToken newer = new FencingToken(lease.token().value() + 1);
      Thread reporter = new Thread(() -> lease.reportStale(newer));
      synchronized (holdOf(lease)) {
        reporter.start();
        Await.until("it reports", () -> reporter.getState() == Thread.State.BLOCKED);
        assertThat(lease.release()).isTrue();
      }
      reporter.join(TimeUnit.MINUTES.toMillis(1));
      assertThat(reporter.isAlive()).isFalse();
      assertThat(next.get(1, TimeUnit.MINUTES).isHeld()).isTrue();
    }
  }

  /** Its monitor decides which of release, pass and loss comes first. */
  private static Object holdOf(Lease lease) throws ReflectiveOperationException {
    Field hold = RenewingLease.class.getDeclaredField("hold");
    hold.setAccessible(true);
    return hold.get(lease);
  }
}
