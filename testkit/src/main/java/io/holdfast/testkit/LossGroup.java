// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingToken;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.LossCause;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.FaultyBackend.Signal;
import io.holdfast.testkit.FaultyBackend.Verb;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A holder is told when it has lost its lock, once, and why. */
abstract class LossGroup extends ContractGroup {

  LossGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_forced_release_frees_the_lock_and_its_holder_is_told() {
    Peer holder = peer(renewedLease());
    Lease lease = holder.take(name());
    assertThat(peer().forceRelease(name(), lease.token())).isTrue();
    assertThat(holder.lossOf(lease)).isEqualTo(LossCause.FORCED);
    assertThat(lease.isHeld()).isFalse();
    assertThat(holder.release(lease)).isFalse();
    peer().take(name());
  }

  @Test
  void a_forced_release_is_told_before_the_next_renewal() {
    requires(Capability.PROMPT_FORCE);
    Peer holder = peer();
    Lease lease = holder.take(name());
    assertThat(peer().forceRelease(name(), lease.token())).isTrue();
    assertThat(holder.lossOf(lease)).isEqualTo(LossCause.FORCED);
    assertThat(holder.network().calls(Verb.RENEW)).isZero();
  }

  @Test
  void a_forced_release_whose_message_was_lost_is_told_by_the_next_renewal() {
    Peer holder = peer(renewedLease());
    holder.network().every(Signal.LOST).drop();
    Lease lease = holder.take(name());
    peer().forceRelease(name(), lease.token());
    assertThat(holder.lossOf(lease)).isEqualTo(LossCause.FORCED);
  }

  @Test
  void a_forced_release_spares_a_newer_hold() {
    Peer first = peer();
    Lease old = first.take(name());
    FencingToken expected = old.token();
    first.release(old);
    Lease newer = peer().take(name());
    assertThat(peer().forceRelease(name(), expected)).isFalse();
    assertThat(newer.isHeld()).isTrue();
    assertThat(peer().tryTake(name())).isEmpty();
    assertThat(peer().inspect(name()).holders()).hasSize(1);
  }

  @Test
  void a_forced_release_of_a_free_lock_finds_nothing() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    FencingToken token = lease.token();
    holder.release(lease);
    assertThat(peer().forceRelease(name(), token)).isFalse();
    assertThat(peer().forceRelease(name("never"), token)).isFalse();
  }

  @Test
  void any_token_of_a_hold_can_be_used_to_force_its_release() {
    RawPeer holder = raw();
    Hold hold = holder.holder(name());
    Granted grant = RawPeer.granted(holder.ask(hold, Duration.ZERO, 3));
    assertThat(raw().forceRelease(name(), grant.token() + grant.passes() + 1)).isFalse();
    assertThat(raw().forceRelease(name(), grant.token() + grant.passes())).isTrue();
    assertThat(holder.renew(hold)).isNotEqualTo(Renewal.RENEWED);
  }

  @Test
  void a_forced_release_serves_the_next_waiter() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    Asking waiter = other.stand(name());
    peer().forceRelease(name(), lease.token());
    assertThat(waiter.lease().token().isNewerThan(lease.token())).isTrue();
  }

  @Test
  void a_loss_is_told_once_and_nobody_who_hears_of_it_finds_the_lease_held() {
    List<LockListener.Lost> events = new CopyOnWriteArrayList<>();
    Peer holder =
        bench()
            .peer(
                builder ->
                    builder
                        .leaseTime(leaseTime())
                        .listener(
                            new LockListener() {
                              @Override
                              public void lost(Lost event) {
                                events.add(event);
                              }
                            }));
    holder.network().every(Signal.LOST).repeat();
    Lease lease = holder.take(name());
    CompletableFuture<Boolean> heldWhenTold =
        lease.loss().thenApply(cause -> lease.isHeld()).toCompletableFuture();
    peer().forceRelease(name(), lease.token());
    assertThat(passage().answer(heldWhenTold)).isFalse();
    pass(leaseTime().dividedBy(2)); // A renewal would have come.
    until("the listener was told", () -> !events.isEmpty());
    assertThat(events).hasSize(1);
    assertThat(events.get(0).cause()).isEqualTo(LossCause.FORCED);
    assertThat(events.get(0).token()).isEqualTo(lease.token());
  }

  @Test
  void a_lease_ends_at_its_local_deadline_when_the_store_cannot_be_reached() {
    requires(Capability.EXPIRY);
    Peer alone = peer(leaseTime());
    Lease lease = alone.take(name());
    alone.network().cutOff();
    Peer next = peer();
    until(
        "the lease is lost",
        () -> {
          // Whoever gets the lock gets it after the loss.
          next.tryTake(name()).ifPresent(granted -> assertThat(lease.isHeld()).isFalse());
          return Peer.isLost(lease);
        });
    assertThat(alone.lossOf(lease)).isEqualTo(LossCause.UNREACHABLE);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void a_lease_that_is_not_renewed_by_choice_expires() {
    Peer holder = peer(briefLease());
    Lease lease = holder.takeBriefly(holder.lock(name()).withoutRenewal());
    assertThat(holder.lossOf(lease)).isEqualTo(LossCause.EXPIRED);
    assertThatThrownBy(
            () ->
                holder.call(
                    () -> {
                      lease.renew();
                      return true;
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertBecomesFree(name());
  }

  @Test
  void a_hold_that_another_took_over_is_reported_as_lost() {
    requires(Capability.EXPIRY);
    Peer paused = peer(briefLease());
    Lease lease = paused.takeBriefly(name());
    paused.network().every(Verb.RENEW).loseRequest();
    Peer next = peer();
    Lease newer = next.stand(name()).lease();
    assertThat(lease.isHeld()).isFalse();
    assertThat(newer.token().isNewerThan(lease.token())).isTrue();
    paused.network().heal();
    pass(briefLease());
    assertThat(newer.isHeld()).isTrue();
  }

  @Test
  void closing_a_process_tells_its_leases() {
    Peer process = peer();
    Lease lease = process.take(name());
    process.close();
    assertThat(lease.isHeld()).isFalse();
    assertThat(process.lossOf(lease)).isEqualTo(LossCause.CLOSED);
    assertBecomesFree(name());
  }

  @Test
  void a_released_lease_is_never_lost() {
    Peer process = peer(leaseTime());
    Lease lease = process.take(name());
    process.release(lease);
    pass(leaseTime().multipliedBy(5).dividedBy(4));
    assertThat(Peer.isLost(lease)).isFalse();
    assertThat(lease.isHeld()).isFalse();
  }
}
