// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.FaultyBackend.Verb;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whatever is lost on the way, requests can be repeated, and nothing is left behind. */
abstract class LostRepliesGroup extends ContractGroup {
  private static final Duration SHORT_WAIT = Duration.ofMillis(300);

  LostRepliesGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_repeated_acquire_gets_the_same_grant_again() {
    RawPeer holder = raw();
    Hold hold = holder.holder(name());
    Granted first = RawPeer.granted(holder.ask(hold, Duration.ZERO, 2));
    Granted again = RawPeer.granted(holder.ask(hold, Duration.ZERO, 2));
    assertThat(again.token()).isEqualTo(first.token());
    assertThat(again.passes()).isEqualTo(first.passes());
    assertThat(holder.inspect(name()).holders()).hasSize(1);
    assertThat(holder.release(hold)).isTrue();
    assertThat(holder.inspect(name()).isFree()).isTrue();
  }

  @Test
  void a_repeated_acquire_of_a_waiter_that_was_served_gets_the_same_grant_again() {
    RawPeer holder = raw();
    Hold held = holder.take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    holder.release(held);
    Granted first = other.await(waiter);
    Granted again = RawPeer.granted(other.queue(waiter));
    assertThat(again.token()).isEqualTo(first.token());
  }

  @Test
  void a_repeated_acquire_extends_the_hold() {
    requires(Capability.EXPIRY);
    RawPeer holder = raw(leaseTime());
    RawPeer stranger = raw();
    inTime(
        timetable -> {
          timetable.leaseBegins();
          Hold hold = holder.take(name(UUID.randomUUID().toString()));
          pass(leaseTime().dividedBy(2));
          timetable.leaseBegins();
          holder.take(hold);
          pass(leaseTime().multipliedBy(3).dividedBy(4));
          assertHolds(holder, hold, stranger);
          assertThat(holder.renew(hold)).isEqualTo(Renewal.RENEWED);
        });
  }

  @Test
  void a_repeated_acquire_of_a_waiter_makes_it_wait_once() {
    requires(Capability.WAITERS_VISIBLE);
    RawPeer holder = raw();
    holder.take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    other.stand(waiter);
    assertThat(holder.inspect(name()).waiters()).hasSize(1);
  }

  @BothForms
  void an_acquire_whose_reply_was_lost_is_repeated_and_gets_its_grant(Form form) {
    Peer process = peer();
    process.network().next(Verb.ACQUIRE).applyAndFail();
    DistributedLock lock = process.lock(name());
    Lease lease = process.ask(form, lock, Peer.LONG_WAIT).lease();
    assertThat(process.network().calls(Verb.ACQUIRE)).isGreaterThan(1);
    LockState state = peer().inspect(name());
    assertThat(state.holders()).hasSize(1);
    assertThat(state.holders().get(0).token()).contains(lease.token());
    process.release(lease);
    assertBecomesFree(name());
  }

  @Test
  void an_acquire_that_did_not_get_through_is_repeated() {
    Peer process = peer();
    process.network().next(2, Verb.ACQUIRE).fail(Outcome.NOT_APPLIED);
    Lease lease = process.ask(Form.ASYNC, process.lock(name()), Peer.LONG_WAIT).lease();
    assertThat(lease.isHeld()).isTrue();
  }

  @BothForms
  void an_acquire_whose_replies_stay_lost_is_unknown_and_cleaned_up(Form form) {
    Peer process = peer();
    process.network().every(Verb.ACQUIRE).applyAndFail();
    assertUnknown(process.ask(form, process.lock(name()), SHORT_WAIT));
    assertBecomesFree(name());
  }

  @BothForms
  void an_acquire_that_is_never_answered_is_unknown_and_cleaned_up(Form form) {
    Peer process = peer();
    process.network().every(Verb.ACQUIRE).loseReply();
    assertUnknown(process.ask(form, process.lock(name()), SHORT_WAIT));
    assertBecomesFree(name());
  }

  @Test
  void a_release_that_overtakes_its_acquire_wins() {
    Peer process = peer();
    process.network().next(Verb.ACQUIRE).holdBack();
    assertUnknown(process.ask(Form.ASYNC, process.lock(name()), SHORT_WAIT));
    until("the release was sent", () -> process.network().answers(Verb.RELEASE) > 0);
    process.network().letGo();
    assertBecomesFree(name());
  }

  @BothForms
  void a_request_that_is_broken_off_before_its_answer_holds_nothing(Form form) {
    Peer process = peer();
    process.network().next(Verb.ACQUIRE).holdBack();
    Asking asking = process.ask(form, process.lock(name()), Peer.LONG_WAIT);
    until("the request was sent", () -> process.network().calls(Verb.ACQUIRE) > 0);
    asking.breakOff();
    until("the release was sent", () -> process.network().answers(Verb.RELEASE) > 0);
    process.network().letGo();
    assertBecomesFree(name());
  }

  @Test
  void a_clean_up_that_does_not_get_through_is_repeated() {
    Peer process = peer();
    process.network().every(Verb.ACQUIRE).applyAndFail();
    process.network().next(3, Verb.RELEASE).fail(Outcome.NOT_APPLIED);
    assertUnknown(process.ask(Form.ASYNC, process.lock(name()), SHORT_WAIT));
    assertBecomesFree(name());
  }

  @Test
  void a_release_whose_reply_was_lost_answers_true_when_it_is_repeated() {
    Peer process = peer();
    Lease lease = process.take(name());
    process.network().next(Verb.RELEASE).applyAndFail();
    assertThat(releaseUntilConfirmed(process, lease)).isTrue();
    assertThat(lease.isHeld()).isFalse();
    peer().take(name());
  }

  private static boolean releaseUntilConfirmed(Peer process, Lease lease) {
    try {
      return process.release(lease);
    } catch (BackendException unconfirmed) {
      assertThat(unconfirmed.outcome()).isEqualTo(Outcome.UNKNOWN);
      return process.release(lease);
    }
  }

  @Test
  void a_release_that_did_not_get_through_is_repeated_in_the_background() {
    Peer process = peer();
    Lease lease = process.take(name());
    process.network().next(2, Verb.RELEASE).fail(Outcome.NOT_APPLIED);
    lease.close();
    assertBecomesFree(name());
  }

  @Test
  void a_renewal_whose_reply_was_lost_is_repeated_in_time() {
    inTime(
        renewedLease(),
        timetable -> {
          String name = name(UUID.randomUUID().toString());
          Peer process = peer(renewedLease());
          timetable.leaseBegins();
          Lease lease = process.take(name);
          process.network().next(Verb.RENEW).applyAndFail();
          process.network().next(Verb.RENEW).fail(Outcome.NOT_APPLIED);
          for (int quarter = 0; quarter < 6; quarter++) {
            pass(renewedLease().dividedBy(4));
            assertThat(lease.isHeld()).isTrue();
            timetable.leaseBegins(); // It was renewed since the last look, or should have been.
          }
          assertThat(peer().tryTake(name)).isEmpty();
        });
  }

  private static void assertUnknown(Asking asking) {
    assertThat(asking.failure())
        .isInstanceOfSatisfying(
            BackendException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
  }
}
