// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Acquisition.Refused;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules of one lock, without clients that ask again and so make up for a rule that fails. */
class LockTableTest {
  private static final Origin ORIGIN = new Origin("p", "host", 1, "test");
  private static final Duration LEASE_TIME = Duration.ofMinutes(1);
  private static final Duration PATIENT = Duration.ofHours(1);

  private final List<String> handedOver = new ArrayList<>();
  private final LockTable table = new LockTable(this::nextToken);
  private long lastToken;
  private long now;

  @Nested
  class AWaiter {
    @Test
    void is_handed_the_lock_when_its_holder_releases_it() {
      acquire("holder");
      await("waiter", PATIENT);
      assertThat(release("holder")).isTrue();
      assertThat(handedOver).containsExactly("waiter");
    }

    @Test
    void is_handed_the_lock_when_its_holder_is_released_by_force() {
      Granted grant = acquire("holder");
      await("waiter", PATIENT);
      assertThat(table.forceRelease(grant.token(), now, LockTableTest.this::handedOver))
          .isNotNull();
      assertThat(handedOver).containsExactly("waiter");
    }

    @Test
    void counts_for_ten_seconds_after_it_has_asked_however_patient_it_is() {
      acquire("holder");
      await("waiter", PATIENT);
      passSeconds(10);
      release("holder");
      assertThat(handedOver).isEmpty();
      assertThat(table.isEmpty()).isTrue();
    }

    @Test
    void counts_for_no_longer_than_it_waits() {
      acquire("holder");
      await("waiter", Duration.ofSeconds(2));
      passSeconds(2);
      release("holder");
      assertThat(handedOver).isEmpty();
    }

    @Test
    void that_asks_again_counts_for_ten_seconds_more() {
      acquire("holder");
      await("waiter", PATIENT);
      passSeconds(8);
      await("waiter", PATIENT);
      passSeconds(9);
      release("holder");
      assertThat(handedOver).containsExactly("waiter");
    }

    @Test
    void at_the_head_is_told_to_ask_again_when_the_hold_ends() {
      acquire("holder");
      passSeconds(20);
      assertThat(await("waiter", PATIENT)).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void behind_another_is_told_to_ask_again_when_that_one_may_have_stopped_asking() {
      acquire("holder");
      await("head", PATIENT);
      passSeconds(4);
      assertThat(await("waiter", PATIENT)).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void behind_one_that_has_stopped_asking_is_not_told_to_ask_again_at_once() {
      acquire("holder");
      await("head", PATIENT);
      await("dead", PATIENT);
      passSeconds(9);
      await("head", PATIENT);
      passSeconds(3);
      assertThat(await("waiter", PATIENT)).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void is_not_shown_once_it_has_stopped_asking() {
      acquire("holder");
      await("waiter", PATIENT);
      assertThat(table.inspect("a", now).waiters()).hasSize(1);
      passSeconds(10);
      assertThat(table.inspect("a", now).waiters()).isEmpty();
    }

    @Test
    void keeps_the_name_for_its_kind_of_lock_when_the_hold_has_just_ended() {
      acquire("holder");
      passSeconds(55);
      await("waiter", PATIENT);
      passSeconds(5);
      assertThat(ask("other", Mode.permits(1, 3), Duration.ZERO)).isInstanceOf(Refused.class);
    }
  }

  @Nested
  class AHoldThatHasEnded {
    @Test
    void is_gone_while_the_lock_is_free() {
      acquire("late");
      passSeconds(60);
      assertThat(renew("late")).isEqualTo(Renewal.GONE);
    }

    @Test
    void is_taken_while_another_holds_the_lock() {
      acquire("late");
      passSeconds(60);
      acquire("next");
      assertThat(renew("late")).isEqualTo(Renewal.TAKEN);
      assertThat(renew("next")).isEqualTo(Renewal.RENEWED);
    }

    @Test
    void by_force_is_remembered_for_as_long_as_it_would_have_lasted() {
      Granted grant = acquire("forced");
      table.forceRelease(grant.token(), now, LockTableTest.this::handedOver);
      passSeconds(59);
      assertThat(renew("forced")).isEqualTo(Renewal.FORCED);
      passSeconds(1);
      assertThat(renew("forced")).isEqualTo(Renewal.GONE);
      assertThat(table.isEmpty()).isTrue();
    }
  }

  private Granted acquire(String name) {
    return (Granted) ask(name, Duration.ZERO);
  }

  /** Waits in the queue; returns after which time to ask again. */
  private Duration await(String name, Duration patience) {
    return ((Held) ask(name, patience)).recheck();
  }

  private Acquisition ask(String name, Duration patience) {
    return ask(name, Mode.EXCLUSIVE, patience);
  }

  private Acquisition ask(String name, Mode mode, Duration patience) {
    Moment moment = new Moment(now, now);
    Hold hold = new Hold("a", hold(name).holder(), mode, LEASE_TIME);
    AcquireRequest request = new AcquireRequest(hold, patience, 0, moment, null);
    return table.acquire(request, ORIGIN, now, moment, this::handedOver);
  }

  private Renewal renew(String name) {
    return table.renew(hold(name), now, now);
  }

  private boolean release(String name) {
    return table.release(hold(name).holder(), now, this::handedOver);
  }

  private void handedOver(Row row) {
    handedOver.add(row.holder().process());
  }

  private static Hold hold(String name) {
    return new Hold("a", new Holder(name, 1), Mode.EXCLUSIVE, LEASE_TIME);
  }

  private void passSeconds(long seconds) {
    now += Duration.ofSeconds(seconds).toNanos();
  }

  private long nextToken(int count) {
    long first = lastToken + 1;
    lastToken += count;
    return first;
  }
}
