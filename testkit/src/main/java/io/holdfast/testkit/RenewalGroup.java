// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A hold that is renewed goes on; one that is gone does not come back. */
abstract class RenewalGroup extends ContractGroup {

  RenewalGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_lease_is_renewed_for_as_long_as_it_is_held() {
    Peer holder = peer(renewedLease());
    Peer other = peer();
    inTime(
        renewedLease(),
        timetable -> {
          String name = name(UUID.randomUUID().toString());
          timetable.leaseBegins();
          Lease lease = holder.take(name);
          FencingToken token = lease.token();
          for (int quarter = 0; quarter < 6; quarter++) {
            pass(renewedLease().dividedBy(4));
            assertThat(lease.isHeld()).isTrue();
            assertThat(other.tryTake(name)).isEmpty();
            timetable.leaseBegins(); // It was renewed since the last look, or should have been.
          }
          assertThat(lease.token()).isEqualTo(token);
        });
  }

  @Test
  void a_renewed_hold_is_kept_for_its_lease_time_from_then() {
    RawPeer holder = raw(leaseTime());
    RawPeer stranger = raw();
    inTime(
        timetable -> {
          String name = name(UUID.randomUUID().toString());
          timetable.leaseBegins();
          Hold hold = holder.take(name);
          for (int quarter = 1; quarter <= 6; quarter++) {
            pass(leaseTime().dividedBy(4));
            assertHolds(holder, hold, stranger);
            if (quarter % 2 == 0) {
              timetable.leaseBegins();
              assertThat(holder.renew(hold)).isEqualTo(Renewal.RENEWED);
            }
          }
        });
  }

  @Test
  void a_hold_that_ran_out_is_not_re_created() {
    requires(Capability.EXPIRY);
    RawPeer holder = raw(briefLease());
    Hold hold = holder.take(name());
    RawPeer observer = raw();
    until("the hold has ended", () -> observer.inspect(name()).isFree());
    assertThat(holder.renew(hold)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertThat(observer.inspect(name()).isFree()).isTrue();
    observer.take(name());
  }

  @Test
  void a_hold_that_another_took_over_is_not_renewed_and_the_other_keeps_it() {
    requires(Capability.EXPIRY);
    RawPeer holder = raw(briefLease());
    Hold hold = holder.take(name());
    RawPeer other = raw();
    Hold next = other.holder(name());
    until("the hold has ended", () -> other.ask(next) instanceof Granted);
    assertThat(holder.renew(hold)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertHolds(other, next);
  }

  @Test
  void a_released_hold_is_not_re_created() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    holder.release(hold);
    assertThat(holder.renew(hold)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertThat(holder.inspect(name()).isFree()).isTrue();
  }

  @Test
  void a_holder_that_never_was_is_not_renewed() {
    RawPeer process = raw();
    Hold stranger = process.holder(name());
    assertThat(process.renew(stranger)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertThat(process.inspect(name()).isFree()).isTrue();
  }

  @Test
  void a_waiter_is_not_renewed_as_if_it_held_the_lock() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    assertThat(other.renew(waiter)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertHolds(holder, hold);
  }

  @Test
  void renewals_are_answered_in_the_order_of_the_holds() {
    RawPeer process = raw();
    Hold first = process.take(name());
    process.release(first);
    Hold second = process.take(name());
    Hold never = process.holder(name());
    List<Renewal> answers = process.renew(List.of(first, second, never, second));
    assertThat(answers).hasSize(4);
    assertThat(answers.get(0)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertThat(answers.get(1)).isEqualTo(Renewal.RENEWED);
    assertThat(answers.get(2)).isIn(Renewal.GONE, Renewal.TAKEN);
    assertThat(answers.get(3)).isEqualTo(Renewal.RENEWED);
  }

  @Test
  void a_renewal_does_not_change_the_token_in_the_store() {
    RawPeer holder = raw();
    Hold hold = holder.holder(name());
    Granted grant = holder.take(hold);
    holder.renew(hold);
    assertThat(holder.inspect(name()).holders().get(0).token())
        .contains(new FencingToken(grant.token()));
  }

  @Test
  void a_lease_without_renewal_can_be_renewed_by_hand() {
    Peer holder = peer(leaseTime());
    Peer other = peer();
    inTime(
        timetable -> {
          String name = name(UUID.randomUUID().toString());
          timetable.leaseBegins();
          Lease lease = holder.take(holder.lock(name).withoutRenewal());
          for (int half = 0; half < 3; half++) {
            pass(leaseTime().dividedBy(2));
            timetable.leaseBegins();
            holder.call(() -> renewed(lease));
            assertThat(lease.isHeld()).isTrue();
            assertThat(other.tryTake(name)).isEmpty();
          }
        });
  }

  private static boolean renewed(Lease lease) {
    lease.renew();
    return true;
  }

  @Test
  void a_lease_is_not_renewed_beyond_its_longest_hold() {
    requires(Capability.EXPIRY);
    Peer wedged = peer(leaseTime());
    Duration longest = leaseTime().multipliedBy(3).dividedBy(2);
    Lease lease = wedged.take(wedged.lock(name()).withMaxHold(longest));
    assertThat(wedged.lossOf(lease)).isEqualTo(LossCause.EXPIRED);
    assertBecomesFree(name());
  }
}
