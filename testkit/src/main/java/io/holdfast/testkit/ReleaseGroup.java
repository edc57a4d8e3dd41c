// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A hold is ended by its own holder, and by nobody else. */
abstract class ReleaseGroup extends ContractGroup {

  ReleaseGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_release_frees_the_lock_at_once() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    assertThat(holder.release(hold)).isTrue();
    assertThat(holder.inspect(name()).isFree()).isTrue();
    raw().take(name());
  }

  @Test
  void a_late_release_does_not_free_the_next_holder() {
    requires(Capability.EXPIRY);
    RawPeer late = raw(briefLease());
    Hold old = late.take(name());
    RawPeer next = raw();
    Hold hold = next.holder(name());
    until("the hold has ended", () -> next.ask(hold) instanceof Granted);
    assertThat(late.release(old)).isFalse();
    assertHolds(next, hold);
  }

  @Test
  void a_release_by_a_stranger_frees_nothing_and_says_so() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    RawPeer stranger = raw();
    assertThat(stranger.release(stranger.holder(name()))).isFalse();
    assertHolds(holder, hold);
  }

  @Test
  void a_release_by_another_holder_of_the_same_process_frees_nothing() {
    RawPeer process = raw();
    Hold hold = process.take(name());
    assertThat(process.release(process.holder(name()))).isFalse();
    assertHolds(process, hold);
  }

  @Test
  void a_hold_is_released_once() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    assertThat(holder.release(hold)).isTrue();
    assertThat(holder.release(hold)).isFalse();
  }

  @Test
  void a_waiter_that_is_released_does_not_wait_any_more() {
    RawPeer holder = raw();
    Hold hold = holder.take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    assertThat(other.release(waiter)).isFalse();
    assertHolds(holder, hold);
    holder.release(hold);
    assertThat(holder.inspect(name()).isFree()).isTrue();
    assertThat(other.signals().grantOf(waiter.holder())).isEmpty();
    raw().take(name());
  }

  @Test
  void a_lease_may_be_released_by_another_thread() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    assertThat(holder.call(lease::release)).isTrue();
    assertThat(lease.isHeld()).isFalse();
    peer().take(name());
  }

  @Test
  void a_repeated_release_answers_as_the_first_and_harms_nobody() {
    Peer first = peer();
    Lease released = first.take(name());
    assertThat(first.release(released)).isTrue();
    Lease next = peer().take(name());
    assertThat(first.release(released)).isTrue();
    assertThat(next.isHeld()).isTrue();
    assertThat(peer().tryTake(name())).isEmpty();
  }

  @Test
  void a_lease_that_was_lost_is_not_released_and_says_so() {
    requires(Capability.EXPIRY);
    Peer holder = peer(briefLease());
    Lease lease = holder.takeBriefly(holder.lock(name()).withoutRenewal());
    holder.lossOf(lease);
    Lease next = assertBecomesFree(name());
    assertThat(holder.release(lease)).isFalse();
    assertThat(next.isHeld()).isTrue();
    assertThat(peer().tryTake(name())).isEmpty();
  }

  @Test
  void work_under_a_lock_releases_it_also_when_it_fails() {
    Peer holder = peer();
    DistributedLock lock = holder.lock(name());
    IllegalStateException failure = new IllegalStateException("the work failed");
    assertThatThrownBy(
            () ->
                holder.call(
                    () ->
                        lock.call(
                            Peer.LONG_WAIT,
                            lease -> {
                              throw failure;
                            })))
        .isSameAs(failure);
    peer().take(name());
  }

  @Test
  void closing_a_process_releases_what_it_holds() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    holder.close();
    assertThat(lease.isHeld()).isFalse();
    assertBecomesFree(name());
  }
}
