// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RenewalTest {
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

  @Nested
  class Batches {
    @Test
    void carry_all_leases_of_a_lane_that_fall_due_together() {
      hold("a:", 100);
      hold("b:", 50);
      time.advance(LEASE_TIME.dividedBy(3));
      assertThat(store.renewals()).hasSize(2);
      assertThat(store.renewals()).extracting(List::size).containsExactlyInAnyOrder(100, 50);
    }

    @Test
    void gather_leases_that_were_acquired_one_after_the_other() {
      List<Lease> leases = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        leases.add(acquire("a:" + i));
        time.advance(Duration.ofMillis(10));
      }
      int before = store.renewals().size();
      time.advance(LEASE_TIME.dividedBy(3));
      assertThat(store.renewals().size() - before)
          .as("calls to renew 1,000 leases that came within ten seconds")
          .isLessThanOrEqualTo(21);
      assertThat(leases).allMatch(Lease::isHeld);
    }

    @Test
    void are_one_at_a_time_in_each_lane() {
      store.silence("a");
      hold("a:", 10);
      time.advance(LEASE_TIME.dividedBy(3));
      hold("a:more", 10);
      time.advance(Duration.ofSeconds(4));
      assertThat(store.renewals()).hasSize(1);
    }

    @Test
    void stop_with_the_last_lease() {
      List<Lease> leases = hold("a:", 10);
      leases.forEach(Lease::release);
      time.advance(LEASE_TIME.multipliedBy(10));
      assertThat(store.renewals()).isEmpty();
      assertThat(time.pending()).as("wake-ups that nobody needs").isZero();
    }

    @Test
    void cost_the_same_whatever_was_locked_before() {
      for (int i = 0; i < 5_000; i++) {
        acquire("a:past" + i).release();
      }
      hold("a:", 10);
      time.advance(LEASE_TIME);
      assertThat(store.renewals()).hasSizeBetween(2, 3);
      assertThat(store.renewals()).allMatch(batch -> batch.size() == 10);
    }
  }

  @Nested
  class Lanes {
    @Test
    void that_are_silent_cost_no_lease_in_the_others() {
      List<Lease> dead = hold("dead:", 100);
      List<Lease> live = hold("live:", 100);
      store.silence("dead");
      time.advance(LEASE_TIME.multipliedBy(5));
      assertThat(dead).noneMatch(Lease::isHeld);
      assertThat(live).allMatch(Lease::isHeld);
    }

    @Test
    void that_were_silent_for_a_while_cost_nothing_if_they_answer_in_time() {
      List<Lease> leases = hold("a:", 10);
      store.silence("a");
      time.advance(Duration.ofSeconds(20));
      store.heal();
      time.advance(LEASE_TIME.multipliedBy(2));
      assertThat(leases).allMatch(Lease::isHeld);
    }
  }

  @Nested
  class LossByTheLocalDeadline {
    @Test
    void comes_even_if_the_store_never_answers() {
      Lease lease = acquire("a:1");
      List<LossCause> told = new ArrayList<>();
      lease.loss().thenAccept(told::add);
      store.silence("a");
      time.advance(LEASE_TIME.minusMillis(301));
      assertThat(told).isEmpty();
      time.advance(Duration.ofMillis(2));
      assertThat(told).containsExactly(LossCause.UNREACHABLE);
      assertThat(lease.isHeld()).isFalse();
      assertThat(lease.remaining()).isZero();
    }

    @Test
    void names_a_lease_that_was_not_to_be_renewed_as_expired() {
      Lease lease = holdfast.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
      List<LossCause> told = new ArrayList<>();
      lease.loss().thenAccept(told::add);
      time.advance(LEASE_TIME);
      assertThat(told).containsExactly(LossCause.EXPIRED);
      assertThat(store.renewals()).isEmpty();
    }

    @Test
    void comes_by_the_wall_clock_when_the_machine_was_suspended() {
      Lease lease = acquire("a:1");
      time.suspend(LEASE_TIME);
      assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void is_told_soon_after_a_suspension_even_if_nobody_looks() {
      List<LossCause> told = new ArrayList<>();
      acquire("a:1").loss().thenAccept(told::add);
      time.suspend(LEASE_TIME);
      time.advance(Duration.ofSeconds(1));
      assertThat(told).hasSize(1);
    }

    @Test
    void is_not_postponed_by_a_wall_clock_that_was_set_back() {
      Lease lease = holdfast.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
      time.jumpWall(Duration.ofHours(-1));
      time.advance(LEASE_TIME);
      assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void follows_the_longest_hold() {
      Lease lease =
          holdfast.lock("a:1").withMaxHold(Duration.ofMinutes(2)).tryAcquire().orElseThrow();
      time.advance(Duration.ofMinutes(2));
      assertThat(lease.isHeld()).isTrue();
      time.advance(LEASE_TIME);
      assertThat(lease.isHeld()).isFalse();
    }
  }

  @Nested
  class AtTheCallersWish {
    @Test
    void a_renewal_extends_the_lease_from_now() {
      Lease lease = holdfast.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(20));
      lease.renew();
      assertThat(lease.remaining()).isEqualTo(LEASE_TIME.minusMillis(300));
    }

    @Test
    void a_lease_that_is_to_last_longer_than_is_left_is_renewed_first() {
      Lease lease = holdfast.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(20));
      lease.ensureHeld(Duration.ofSeconds(5));
      assertThat(store.renewals()).isEmpty();
      lease.ensureHeld(Duration.ofSeconds(15));
      assertThat(store.renewals()).hasSize(1);
    }

    @Test
    void a_lease_cannot_be_asked_to_last_longer_than_its_lease_time() {
      Lease lease = acquire("a:1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lease.ensureHeld(LEASE_TIME))
          .withMessageContaining("PT30S");
    }

    @Test
    void a_lease_cannot_be_asked_to_last_for_what_the_drift_takes_off_its_lease_time() {
      Lease lease = acquire("a:1");
      Duration longest = LEASE_TIME.minusMillis(300);
      lease.ensureHeld(longest);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lease.ensureHeld(longest.plusMillis(1)))
          .withMessageContaining("PT29.7S");
      assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void a_renewal_that_is_too_slow_is_a_failure_of_the_store_and_no_loss() {
      ForwardingBackend slow =
          new ForwardingBackend(BackendProvider.backendAt("memory:")) {
            @Override
            public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
              CompletionStage<List<Renewal>> answer = super.renew(holds);
              time.advance(Duration.ofSeconds(4));
              return answer;
            }
          };
      try (Holdfast slowly =
          Holdfast.builder(slow)
              .time(time)
              .callbacks(Runnable::run)
              .leaseTime(LEASE_TIME)
              .shutdownHook(false)
              .build()) {
        Lease lease = slowly.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
        time.advance(Duration.ofSeconds(10));
        assertThatExceptionOfType(BackendException.class)
            .isThrownBy(() -> lease.ensureHeld(Duration.ofSeconds(28)))
            .withMessageContaining("PT25.7S");
        assertThat(lease.isHeld()).isTrue();
      }
    }

    @Test
    void a_lost_lease_cannot_be_renewed() {
      Lease lease = holdfast.lock("a:1").withoutRenewal().tryAcquire().orElseThrow();
      time.advance(LEASE_TIME);
      assertThatExceptionOfType(LeaseLostException.class)
          .isThrownBy(lease::renew)
          .satisfies(lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED));
    }

    @Test
    void a_newer_token_at_the_resource_is_the_end_of_the_lease() {
      Lease lease = acquire("a:1");
      lease.reportStale(lease.token());
      assertThat(lease.isHeld()).isTrue();
      lease.reportStale(new io.holdfast.FencingToken(lease.token().value() + 1));
      assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void a_lease_that_is_reported_stale_is_given_back_to_the_store() {
      Lease lease = acquire("a:1");
      lease.reportStale(new io.holdfast.FencingToken(lease.token().value() + 1));
      time.advance(Duration.ZERO);
      assertThat(holdfast.inspect("a:1").isFree()).isTrue();
    }
  }

  private Lease acquire(String name) {
    return holdfast.lock(name).tryAcquire().orElseThrow();
  }

  private List<Lease> hold(String prefix, int count) {
    List<Lease> leases = new ArrayList<>();
    Set<Long> tokens = new HashSet<>();
    for (int i = 0; i < count; i++) {
      leases.add(acquire(prefix + i));
      tokens.add(leases.get(i).token().value());
    }
    assertThat(tokens).hasSize(count);
    return leases;
  }
}
