// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store whose clock is set forward keeps holds for less than it promised. */
class ShortenedTest {
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);

  private final ManualTime time = new ManualTime();
  private final LanedBackend store = new LanedBackend();
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .time(time)
          .callbacks(Runnable::run)
          .leaseTime(LEASE_TIME)
          .shutdownHook(false)
          .build();

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  @Test
  void its_leases_count_that_much_less_and_are_renewed_at_once() {
    Lease here = holdfast.lock("a:1").tryAcquire().orElseThrow();
    Lease elsewhere = holdfast.lock("b:1").tryAcquire().orElseThrow();
    Duration before = elsewhere.remaining();
    store.silence("a");
    store.setForward("a", Duration.ofSeconds(10));
    time.advance(Duration.ofMillis(1));
    assertThat(here.remaining()).isLessThan(Duration.ofSeconds(20));
    assertThat(store.renewals()).hasSize(1);
    assertThat(store.renewals().get(0)).containsExactly("a:1");
    assertThat(elsewhere.remaining()).isGreaterThan(before.minusSeconds(1));
    store.heal();
    time.advance(Duration.ofSeconds(9));
    assertThat(here.remaining()).isGreaterThan(Duration.ofSeconds(15));
    assertThat(here.isHeld()).isTrue();
  }

  @Test
  void it_is_asked_for_nothing_before_its_signal_is_over() {
    holdfast.lock("a:1").tryAcquire();
    store.setForward("a", Duration.ofSeconds(10));
    assertThat(store.renewals()).isEmpty();
  }

  @Test
  void a_lease_whose_time_is_up_by_that_is_lost_at_once() {
    Lease lease = holdfast.lock("a:1").tryAcquire().orElseThrow();
    store.setForward("a", LEASE_TIME);
    time.advance(Duration.ofMillis(1));
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.loss().toCompletableFuture()).isCompletedWithValue(LossCause.EXPIRED);
  }

  @Test
  void a_renewal_that_was_under_way_does_not_count() {
    Lease lease = holdfast.lock("a:1").tryAcquire().orElseThrow();
    store.silence("a");
    time.advance(LEASE_TIME.dividedBy(3));
    assertThat(store.renewals()).hasSize(1);
    store.setForward("a", Duration.ofSeconds(10));
    time.advance(Duration.ofMillis(1));
    store.answerLate();
    assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(10));
    store.heal();
    time.advance(Duration.ofSeconds(5));
    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(20));
  }
}
