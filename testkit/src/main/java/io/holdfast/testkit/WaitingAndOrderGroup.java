// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.Moment;
import io.holdfast.testkit.FaultyBackend.Signal;
import io.holdfast.testkit.FaultyBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whoever waits is served, in order; whoever leaves is not. */
abstract class WaitingAndOrderGroup extends ContractGroup {

  WaitingAndOrderGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @BothForms
  void a_waiter_gets_the_lock_when_it_is_released(Form form) {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    Asking waiter = other.stand(form, other.lock(name()));
    assertThat(waiter.isDone()).isFalse();
    holder.release(lease);
    assertThat(waiter.lease().isHeld()).isTrue();
    assertThat(peer().tryTake(name())).isEmpty();
  }

  @BothForms
  void waiters_of_many_processes_are_served_in_the_order_in_which_they_came(Form form) {
    requires(Capability.ORDER);
    Peer holder = peer();
    Lease lease = holder.take(name());
    List<Peer> peers = bench().peers(5);
    List<Asking> waiters = new ArrayList<>();
    for (Peer peer : peers) {
      waiters.add(peer.stand(form, peer.lock(name())));
    }
    holder.release(lease);
    for (int next = 0; next < waiters.size(); next++) {
      Lease served = waiters.get(next).lease();
      for (Asking later : waiters.subList(next + 1, waiters.size())) {
        assertThat(later.isDone()).isFalse();
      }
      peers.get(next).release(served);
    }
  }

  @Test
  void asking_again_keeps_the_place_in_the_queue() {
    requires(Capability.ORDER);
    RawPeer holder = raw();
    Hold held = holder.take(name());
    RawPeer first = raw();
    Hold early = first.stand(name());
    RawPeer second = raw();
    Hold late = second.stand(name());
    first.stand(early);
    holder.release(held);
    first.await(early);
    assertThat(second.queue(late)).isInstanceOf(Acquisition.Held.class);
    first.release(early);
    second.await(late);
  }

  @Test
  void nobody_overtakes_a_waiter() {
    requires(Capability.ORDER);
    RawPeer holder = raw();
    Hold held = holder.take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    holder.release(held);
    RawPeer intruder = raw();
    assertThat(intruder.ask(intruder.holder(name()))).isInstanceOf(Acquisition.Held.class);
    other.await(waiter);
  }

  @Test
  void whoever_does_not_wait_gets_no_place_in_the_queue() {
    RawPeer holder = raw();
    Hold held = holder.take(name());
    RawPeer hasty = raw();
    Hold passing = hasty.holder(name());
    assertThat(hasty.ask(passing)).isInstanceOf(Acquisition.Held.class);
    assertThat(holder.inspect(name()).waiters()).isEmpty();
    holder.release(held);
    assertThat(hasty.signals().grantOf(passing.holder())).isEmpty();
    assertThat(holder.inspect(name()).isFree()).isTrue();
  }

  @BothForms
  void a_wait_ends_at_its_deadline_with_nothing(Form form) {
    Peer holder = peer();
    holder.take(name());
    Peer other = peer();
    Duration wait = Duration.ofMillis(200);
    Moment begin = passage().now();
    Asking waiter = other.ask(form, other.lock(name()), wait);
    assertThat(waiter.outcome()).isEmpty();
    assertThat(passage().now().since(begin)).isGreaterThanOrEqualTo(wait);
    Asking insisting = form.acquire(passage(), other.lock(name()), wait);
    assertThat(insisting.failure()).isInstanceOf(LockTimeoutException.class);
  }

  @BothForms
  void a_waiter_that_gave_up_does_not_get_the_lock_later(Form form) {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    DistributedLock lock = other.lock(name());
    assertThat(other.ask(form, lock, Duration.ofMillis(200)).outcome()).isEmpty();
    holder.release(lease);
    assertBecomesFree(name());
  }

  @BothForms
  void a_wait_that_is_broken_off_leaves_nothing_behind(Form form) {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    Asking waiter = other.stand(form, other.lock(name()));
    waiter.breakOff();
    assertThat(waiter.failure())
        .isInstanceOfAny(InterruptedException.class, CancellationException.class);
    until("the queue is empty", () -> holder.inspect(name()).waiters().isEmpty());
    holder.release(lease);
    assertBecomesFree(name());
  }

  @Test
  void closing_a_process_ends_its_waits() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    Asking waiter = other.stand(Form.ASYNC, other.lock(name()));
    other.close();
    assertThat(waiter.failure()).isNotNull();
    holder.release(lease);
    assertBecomesFree(name());
  }

  /** Only the poll of a waiter can help it: it need not take the usual seconds. */
  private static void askOften(Holdfast.Builder builder) {
    builder.pacing(Duration.ofMillis(20), Duration.ofMillis(300));
  }

  @Test
  void a_waiter_that_died_does_not_block_the_queue_for_ever() {
    requires(Capability.EXPIRY);
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer dead = peer(briefLease());
    dead.stand(name());
    Asking waiter = bench().peer(WaitingAndOrderGroup::askOften).stand(name());
    dead.network().cutOff();
    holder.release(lease);
    assertThat(waiter.lease().isHeld()).isTrue();
  }

  @Test
  void a_waiter_whose_wake_up_was_lost_gets_the_lock_nevertheless() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer deaf = bench().peer(WaitingAndOrderGroup::askOften);
    deaf.network().every(Signal.GRANTED).drop();
    deaf.network().every(Signal.RETRY).drop();
    Asking waiter = deaf.stand(Form.ASYNC, deaf.lock(name()));
    holder.release(lease);
    assertThat(waiter.lease().isHeld()).isTrue();
  }

  @Test
  void a_wake_up_that_comes_twice_makes_one_lease() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    other.network().every(Signal.GRANTED).repeat();
    other.network().every(Signal.RETRY).repeat();
    Asking waiter = other.stand(Form.ASYNC, other.lock(name()));
    holder.release(lease);
    other.release(waiter.lease());
    assertBecomesFree(name());
  }

  @Test
  void a_wake_up_that_comes_when_the_waiter_has_left_makes_no_holder() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    other.network().every(Signal.GRANTED).delay(Duration.ofMillis(400));
    other.network().every(Signal.RETRY).delay(Duration.ofMillis(400));
    DistributedLock lock = other.lock(name());
    Asking waiter = other.stand(Form.ASYNC, lock);
    asksInVain(other); // Served by an answer, it would hold the lock with every right.
    holder.release(lease);
    waiter.breakOff();
    assertBecomesFree(name());
  }

  /** From now on only a signal can serve this peer's waiters. */
  private void asksInVain(Peer peer) {
    peer.network().every(Verb.ACQUIRE).fail(Outcome.NOT_APPLIED);
    until(
        "what was asked before is answered",
        () -> peer.network().answers(Verb.ACQUIRE) == peer.network().calls(Verb.ACQUIRE));
  }

  @Test
  void a_waiter_is_served_once_the_holder_expires() {
    requires(Capability.EXPIRY);
    raw(briefLease()).take(name());
    RawPeer other = raw();
    Hold waiter = other.stand(name());
    Granted grant = other.await(waiter);
    assertThat(grant.token()).isPositive();
    assertHolds(other, waiter);
  }
}
