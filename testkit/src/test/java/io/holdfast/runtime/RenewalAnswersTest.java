// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.internal.Inside;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.FaultyBackend;
import io.holdfast.testkit.FaultyBackend.Verb;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Renewals whose answers are late or missing, and what is said of a lease that ends by that. */
class RenewalAnswersTest {
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);
  private static final Duration WAIT = Duration.ofMinutes(10);

  private final ManualTime time = new ManualTime();
  private final LanedBackend store = new LanedBackend();
  private final List<String> events = new ArrayList<>();
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .time(time)
          .callbacks(Runnable::run)
          .leaseTime(LEASE_TIME)
          .localPasses(3, WAIT)
          .listener(
              new LockListener() {
                @Override
                public void renewed(Renewed event) {
                  events.add("renewed");
                }

                @Override
                public void lost(Lost event) {
                  events.add("lost: " + event.cause());
                }
              })
          .shutdownHook(false)
          .build();

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  private Lease acquire() {
    return holdfast.lock("a:1").tryAcquire().orElseThrow();
  }

  @Nested
  class AnAnswerThatComesLate {
    @Test
    void does_not_shorten_a_lease_that_was_renewed_since() {
      Lease lease = acquire();
      store.silence("a");
      time.advance(Duration.ofSeconds(14));
      store.heal();
      time.advance(Duration.ofSeconds(3));
      assertThat(events).containsExactly("renewed");
      Duration left = lease.remaining();
      store.answerLate();
      assertThat(lease.remaining()).isEqualTo(left);
    }

    @Test
    void does_not_revive_a_lease_that_was_lost() {
      Lease lease = acquire();
      store.silence("a");
      time.advance(LEASE_TIME);
      assertThat(events).containsExactly("lost: UNREACHABLE");
      store.answerLate();
      time.advance(LEASE_TIME);
      assertThat(lease.isHeld()).isFalse();
      assertThat(events).containsExactly("lost: UNREACHABLE");
      assertThat(Inside.leftOver(holdfast)).isEmpty();
    }

    @Test
    void was_not_asked_for_twice_though_the_wall_clock_had_leases_looked_at_meanwhile() {
      Lease lease = acquire();
      store.silence("a");
      time.advance(Duration.ofSeconds(10));
      time.jumpWall(Duration.ofSeconds(2));
      time.advance(Duration.ofSeconds(1));
      store.heal();
      store.answerLate();
      time.advance(Duration.ofSeconds(1));
      assertThat(store.renewals()).hasSize(1);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Nested
  class ALeaseThatEnds {
    @Test
    void while_its_first_renewal_is_unanswered_is_lost_because_the_store_was_silent() {
      Lease lease = acquire();
      store.silence("a");
      time.advance(Duration.ofSeconds(10));
      time.suspend(LEASE_TIME);
      assertThat(lease.isHeld()).isFalse();
      assertThat(events).as("told by the look itself").containsExactly("lost: UNREACHABLE");
    }

    @Test
    void after_a_trouble_that_is_over_has_run_out_and_the_store_is_not_blamed() {
      Lease lease =
          holdfast.lock("a:1").withMaxHold(Duration.ofSeconds(20)).tryAcquire().orElseThrow();
      store.silence("a");
      time.advance(Duration.ofSeconds(14));
      store.heal();
      time.advance(Duration.ofMinutes(1));
      assertThat(lease.isHeld()).isFalse();
      assertThat(events).containsExactly("renewed", "lost: EXPIRED");
    }
  }

  @Nested
  class ALeaseThatWasPassedOn {
    @Test
    void is_renewed_though_the_one_before_it_was_not() throws Exception {
      Lease first = holdfast.lock("a:1").withoutRenewal().acquire(WAIT);
      CompletableFuture<Lease> second = holdfast.lock("a:1").async().acquire(WAIT);
      assertThat(first.release()).isTrue();
      assertThat(second).isCompleted();
      time.advance(LEASE_TIME.multipliedBy(3));
      assertThat(second.join().isHeld()).isTrue();
    }

    @Test
    void has_a_longest_hold_of_its_own() throws Exception {
      Lease first = holdfast.lock("a:1").withoutRenewal().acquire(WAIT);
      CompletableFuture<Lease> second =
          holdfast.lock("a:1").withMaxHold(Duration.ofSeconds(20)).async().acquire(WAIT);
      time.advance(Duration.ofSeconds(14));
      assertThat(first.release()).isTrue();
      time.advance(Duration.ofSeconds(36));
      assertThat(second.join().isHeld()).isTrue();
      time.advance(Duration.ofSeconds(10));
      assertThat(second.join().isHeld()).isFalse();
    }
  }

  @Test
  void a_renewal_that_failed_is_repeated_after_a_twelfth_of_the_lease_time_at_the_latest() {
    FaultyBackend faulty = new FaultyBackend(BackendProvider.backendAt("memory:"));
    try (Holdfast slow =
        Holdfast.builder(faulty)
            .time(time)
            .callbacks(Runnable::run)
            .leaseTime(Duration.ofSeconds(6))
            .pacing(Duration.ofSeconds(1), Duration.ofSeconds(3))
            .shutdownHook(false)
            .build()) {
      Lease lease = slow.lock("n").tryAcquire().orElseThrow();
      faulty.every(Verb.RENEW).fail(Outcome.UNKNOWN);
      time.advance(Duration.ofSeconds(2));
      assertThat(faulty.calls(Verb.RENEW)).isEqualTo(1);
      time.advance(Duration.ofMillis(500));
      assertThat(faulty.calls(Verb.RENEW)).isEqualTo(2);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void two_milliseconds_are_taken_off_a_lease_time_that_is_short() {
    Lease lease =
        holdfast.lock("a:1").withLeaseTime(Duration.ofMillis(100)).tryAcquire().orElseThrow();
    assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(98));
  }
}
