// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls to renew in one lane: when the next one is sent, and when one is given up. */
class RenewalCallsTest {
  private final ManualTime time = new ManualTime();
  private final LanedBackend store = new LanedBackend();
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .time(time)
          .callbacks(Runnable::run)
          .leaseTime(Duration.ofSeconds(30))
          .shutdownHook(false)
          .build();

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  @Test
  void are_sent_as_soon_as_the_one_before_is_answered() {
    acquire("a:1");
    time.advance(Duration.ofSeconds(2));
    acquire("a:2");
    store.silence("a");
    time.advance(Duration.ofSeconds(10));
    assertThat(store.renewals()).containsExactly(List.of("a:1"));
    store.answerLate();
    assertThat(store.renewals()).containsExactly(List.of("a:1"), List.of("a:2"));
  }

  @Test
  void are_not_ended_by_the_answer_to_one_that_was_given_up() {
    acquire("a:1");
    time.advance(Duration.ofSeconds(2));
    acquire("a:2");
    store.silence("a");
    time.advance(Duration.ofSeconds(16));
    assertThat(store.renewals()).containsExactly(List.of("a:1"), List.of("a:2"));
    store.answerLate(0);
    assertThat(store.renewals()).as("the second call is under way").hasSize(2);
  }

  @Test
  void are_not_given_up_before_their_time_when_the_wall_clock_is_set_forward() {
    Lease lease = acquire("a:1");
    store.silence("a");
    time.advance(Duration.ofSeconds(10));
    time.jumpWall(Duration.ofSeconds(2));
    time.advance(Duration.ofMillis(4_900));
    assertThat(store.renewals()).hasSize(1);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void carry_no_lease_that_was_released_while_it_waited_for_its_turn() {
    acquire("a:1");
    time.advance(Duration.ofSeconds(2));
    Lease released = acquire("a:2");
    store.silence("a");
    time.advance(Duration.ofSeconds(10));
    released.release();
    store.answerLate();
    assertThat(store.renewals()).containsExactly(List.of("a:1"));
  }

  @Test
  void are_given_up_in_time_for_another_when_the_lease_time_is_short() {
    Duration leaseTime = Duration.ofSeconds(8);
    Lease lease = holdfast.lock("a:1").withLeaseTime(leaseTime).tryAcquire().orElseThrow();
    store.silence("a");
    time.advance(Duration.ofSeconds(6));
    assertThat(store.renewals()).hasSize(2);
    assertThat(lease.isHeld()).isTrue();
  }

  private Lease acquire(String name) {
    return holdfast.lock(name).tryAcquire().orElseThrow();
  }
}
