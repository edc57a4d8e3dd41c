// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A hold that is not renewed ends, and its holder knows that before the store does. */
abstract class ExpiryGroup extends ContractGroup {

  ExpiryGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_hold_that_is_not_renewed_is_free_after_its_lease_time() {
    requires(Capability.EXPIRY);
    raw(briefLease()).take(name());
    RawPeer next = raw();
    Hold hold = next.holder(name());
    until("the hold has ended", () -> next.ask(hold) instanceof Granted);
  }

  @Test
  void a_hold_is_kept_until_its_lease_time_is_over() {
    requires(Capability.EXPIRY);
    RawPeer holder = raw(leaseTime());
    Moment asked = passage().now();
    holder.take(name());
    Duration held = timeUntilFree(asked);
    assertThat(held).isGreaterThanOrEqualTo(leaseTime().minus(drift()));
  }

  @Test
  void a_grant_counts_from_when_it_was_asked_for_and_not_from_when_it_was_answered() {
    RawPeer holder = raw();
    Hold hold = holder.holder(name());
    Moment sent = passage().now();
    CompletionStage<Acquisition> answer =
        holder.backend().acquire(new AcquireRequest(hold, Duration.ZERO, 0, sent, null));
    Moment asked = passage().now();
    Granted grant = RawPeer.granted(passage().answer(answer));
    assertThat(grant.since().monotonicNanos()).isLessThanOrEqualTo(asked.monotonicNanos());
    assertThat(grant.since().wallNanos()).isLessThanOrEqualTo(asked.wallNanos());
  }

  @Test
  void a_hold_that_was_handed_over_counts_from_no_later_than_that() {
    requires(Capability.EXPIRY);
    RawPeer holder = raw();
    Hold held = holder.take(name());
    RawPeer waiter = raw(leaseTime());
    Hold waiting = waiter.stand(name());
    pass(leaseTime().dividedBy(4));
    holder.release(held);
    // If it is told, then by a message: asking again would begin another lease time.
    pass(leaseTime().dividedBy(4));
    Granted grant =
        waiter.signals().grantOf(waiting.holder()).orElseGet(() -> waiter.await(waiting));
    assertThat(timeUntilFree(grant.since())).isGreaterThanOrEqualTo(leaseTime().minus(drift()));
  }

  /** In steps that are fine enough to find an end that comes too early by a few per cent. */
  private Duration timeUntilFree(Moment since) {
    RawPeer next = raw();
    Hold hold = next.holder(name());
    Duration step = leaseTime().dividedBy(500);
    Moment begin = passage().now();
    while (!(next.ask(hold) instanceof Granted)) {
      pass(step);
      assertThat(passage().now().since(begin)).isLessThan(leaseTime().plus(bench().patience()));
    }
    return passage().now().since(since);
  }

  /** What the clocks of a store and of a process may differ by over a lease time. */
  private Duration drift() {
    Duration hundredth = leaseTime().dividedBy(100);
    return hundredth.compareTo(Duration.ofMillis(2)) < 0 ? Duration.ofMillis(2) : hundredth;
  }

  @Test
  void a_process_that_died_does_not_keep_its_lock() {
    requires(Capability.EXPIRY);
    Peer dead = peer(briefLease());
    dead.takeBriefly(name());
    dead.network().cutOff();
    Asking waiter = peer().stand(name());
    assertThat(waiter.lease().isHeld()).isTrue();
  }

  @Test
  void a_lease_is_not_held_any_more_when_the_store_grants_the_lock_to_another() {
    requires(Capability.EXPIRY);
    Peer dead = peer(briefLease());
    Lease lease = dead.takeBriefly(name());
    dead.network().cutOff();
    Peer next = peer();
    until("the store frees the lock", () -> next.tryTake(name()).isPresent());
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.remaining()).isZero();
  }

  @Test
  void a_slow_answer_shortens_the_lease() {
    Peer slow = peer();
    Duration delay = leaseTime().dividedBy(4);
    slow.network().next(FaultyBackend.Verb.ACQUIRE).delayReply(delay);
    DistributedLock lock = slow.lock(name()).withoutRenewal();
    Lease lease = slow.ask(Form.ASYNC, lock, Peer.LONG_WAIT).lease();
    assertThat(lease.remaining()).isLessThanOrEqualTo(longLease().minus(delay));
  }

  @Test
  void a_wall_clock_that_is_ahead_of_the_monotonic_one_ends_the_lease() {
    SkewedTime time = new SkewedTime(bench().time());
    Peer asleep = bench().peer(builder -> builder.time(time));
    Lease lease = asleep.take(name());
    time.jumpWall(longLease());
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void a_wall_clock_that_is_set_back_does_not_stretch_the_lease() {
    SkewedTime time = new SkewedTime(bench().time());
    Peer process = bench().peer(builder -> builder.time(time).leaseTime(briefLease()));
    Lease lease = process.takeBriefly(process.lock(name()).withoutRenewal());
    time.jumpWall(briefLease().negated());
    pass(briefLease());
    assertThat(lease.isHeld()).isFalse();
  }
}
