// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who holds what, and who waits. */
abstract class InspectionGroup extends ContractGroup {

  InspectionGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_lock_that_nobody_uses_is_shown_as_free() {
    LockState state = peer().inspect(name());
    assertThat(state.name()).isEqualTo(name());
    assertThat(state.holders()).isEmpty();
    assertThat(state.waiters()).isEmpty();
  }

  @Test
  void a_hold_is_shown_with_all_that_people_ask_for() {
    Peer holder = peer();
    Lease lease = holder.take(holder.lock(name()).withPurpose("to be seen"));
    LockState state = peer().inspect(name());
    assertThat(state.name()).isEqualTo(name());
    assertThat(state.holders()).hasSize(1);
    LockState.Holding shown = state.holders().get(0);
    assertThat(shown.holder()).isEqualTo(lease.holder().toString());
    assertThat(shown.mode()).isEqualTo(Mode.EXCLUSIVE);
    assertThat(shown.token()).contains(lease.token());
    assertThat(shown.remaining()).isPositive().isLessThanOrEqualTo(longLease());
    assertThat(shown.purpose()).contains("to be seen");
    assertThat(shown.origin().map(Origin::process)).contains(lease.holder().process());
    assertThat(shown.origin().map(Origin::application)).contains("contract");
    assertThat(shown.held().orElse(Duration.ZERO)).isGreaterThanOrEqualTo(Duration.ZERO);
  }

  @Test
  void a_hold_without_a_purpose_is_shown_without_one() {
    peer().take(name());
    assertThat(peer().inspect(name()).holders().get(0).purpose()).isEmpty();
  }

  @Test
  void readers_are_all_shown() {
    requires(Capability.SHARED);
    Peer one = peer();
    Peer other = peer();
    Lease first = one.take(one.lock(name()).shared());
    Lease second = other.take(other.lock(name()).shared());
    assertThat(peer().inspect(name()).holders())
        .allMatch(shown -> shown.mode().equals(Mode.SHARED))
        .extracting(LockState.Holding::holder)
        .containsExactlyInAnyOrder(first.holder().toString(), second.holder().toString());
  }

  @Test
  void permits_are_shown_with_their_number_and_limit() {
    requires(Capability.PERMITS);
    RawPeer process = raw();
    process.take(process.holder(name(), Mode.permits(2, 5)));
    assertThat(raw().inspect(name()).holders().get(0).mode()).isEqualTo(Mode.permits(2, 5));
  }

  @Test
  void waiters_are_shown_in_their_order() {
    requires(Capability.WAITERS_VISIBLE);
    RawPeer process = raw();
    process.take(name());
    RawPeer other = raw();
    List<Hold> waiters = List.of(other.stand(name()), process.stand(name()), other.stand(name()));
    LockState state = raw().inspect(name());
    assertThat(state.waiters())
        .extracting(LockState.Waiting::holder)
        .containsExactlyElementsOf(
            waiters.stream().map(waiter -> waiter.holder().toString()).toList());
    LockState.Waiting first = state.waiters().get(0);
    assertThat(first.mode()).isEqualTo(Mode.EXCLUSIVE);
    assertThat(first.purpose()).contains(RawPeer.PURPOSE);
    assertThat(first.origin()).contains(other.signals().origin());
  }

  @Test
  void a_hold_that_ran_out_is_not_shown() {
    requires(Capability.EXPIRY);
    Peer dead = peer(briefLease());
    dead.takeBriefly(name());
    dead.network().cutOff();
    RawPeer observer = raw();
    until(
        "the store shows it no more",
        () -> observer.inspect(name()).isFree() && observer.list(bench().prefix(), 10).isEmpty());
    observer.take(name());
  }

  @Test
  void locks_are_listed_by_prefix_in_the_order_of_their_names_up_to_a_limit() {
    Peer holder = peer();
    for (String last : List.of("b/2", "a/1", "b/1", "b/3", "c")) {
      holder.take(name(last));
    }
    assertThat(listed("b/", 10)).containsExactly(name("b/1"), name("b/2"), name("b/3"));
    assertThat(listed("b/", 2)).containsExactly(name("b/1"), name("b/2"));
    assertThat(listed("", 10)).hasSize(5);
    assertThat(listed("d", 10)).isEmpty();
  }

  @Test
  void a_prefix_means_what_it_says_and_is_not_a_pattern() {
    Peer holder = peer();
    for (String last : List.of("a%b", "a_b", "a*b", "a?b", "a[b]", "a\\b", "axb", "a")) {
      holder.take(name(last));
    }
    for (String last : List.of("a%", "a_", "a*", "a?", "a[b]", "a\\")) {
      assertThat(listed(last, 10)).hasSize(1).allMatch(name -> name.startsWith(name(last)));
    }
  }

  @Test
  void a_listed_lock_is_shown_with_its_holder() {
    Lease lease = peer().take(name());
    LockState state = peer().list(bench().prefix(), 10).get(0);
    assertThat(state.holders().get(0).holder()).isEqualTo(lease.holder().toString());
    assertThat(state.holders().get(0).token()).contains(lease.token());
  }

  @Test
  void a_released_lock_is_not_listed() {
    Peer holder = peer();
    holder.release(holder.take(name()));
    assertThat(listed("", 10)).isEmpty();
  }

  private List<String> listed(String prefix, int limit) {
    return peer().list(name(prefix), limit).stream().map(LockState::name).toList();
  }

  @Test
  void the_guarantees_are_put_in_words() {
    Guarantees guarantees = peer().holdfast().guarantees();
    assertThat(
            List.of(
                guarantees.backend(),
                guarantees.oneHolderIf(),
                guarantees.twoHoldersWhen(),
                guarantees.tokenNeverGoesBackIf(),
                guarantees.survives()))
        .noneMatch(String::isBlank);
    assertThat(guarantees.shortestLeaseTime())
        .isPositive()
        .isLessThan(guarantees.longestLeaseTime());
  }
}
