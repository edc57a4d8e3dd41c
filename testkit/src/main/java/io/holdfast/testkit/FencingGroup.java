// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tokens are unique and grow. */
abstract class FencingGroup extends ContractGroup {
  private final Runnable restartOfTheStore;

  FencingGroup(Supplier<Bench> bench, Runnable restartOfTheStore) {
    super(bench);
    this.restartOfTheStore = restartOfTheStore;
  }

  @Test
  void each_grant_has_a_greater_token_than_all_before() {
    List<RawPeer> peers = List.of(raw(), raw(), raw());
    long newest = 0;
    for (int round = 0; round < 12; round++) {
      // Not in turns, so that a count by process falls behind.
      RawPeer peer = peers.get(round * round % 3);
      Hold hold = peer.holder(name());
      long token = peer.take(hold).token();
      assertThat(token).isGreaterThan(newest);
      newest = token;
      peer.release(hold);
    }
  }

  @Test
  void each_hand_over_has_a_greater_token_than_all_before() {
    List<RawPeer> peers = List.of(raw(), raw());
    Hold holding = peers.get(0).holder(name());
    long newest = peers.get(0).take(holding).token();
    for (int round = 0; round < 6; round++) {
      RawPeer holder = peers.get(round % 2);
      RawPeer waiter = peers.get((round + 1) % 2);
      Hold waiting = waiter.stand(name());
      holder.release(holding);
      long token = waiter.await(waiting).token();
      assertThat(token).isGreaterThan(newest);
      newest = token;
      holding = waiting;
    }
  }

  @Test
  void tokens_grow_when_a_hold_runs_out() {
    requires(Capability.EXPIRY);
    RawPeer first = raw(briefLease());
    long old = first.take(first.holder(name())).token();
    RawPeer next = raw();
    Hold hold = next.holder(name());
    List<Long> tokens = new ArrayList<>();
    until(
        "the hold has ended",
        () -> {
          if (next.ask(hold) instanceof Granted grant) {
            tokens.add(grant.token());
          }
          return !tokens.isEmpty();
        });
    assertThat(tokens.get(0)).isGreaterThan(old);
  }

  @Test
  void readers_and_writers_have_tokens_of_one_growing_row() {
    requires(Capability.SHARED);
    assertTokensGrow(Mode.SHARED, Mode.SHARED, Mode.EXCLUSIVE, Mode.SHARED, Mode.EXCLUSIVE);
  }

  @Test
  void permits_have_tokens_that_grow() {
    requires(Capability.PERMITS);
    Mode permit = Mode.permits(1, 2);
    assertTokensGrow(permit, permit, permit, permit);
  }

  private void assertTokensGrow(Mode... modes) {
    long newest = 0;
    List<Runnable> releases = new ArrayList<>();
    for (Mode mode : modes) {
      RawPeer peer = raw();
      Hold hold = peer.holder(name(), mode);
      if (!(peer.ask(hold) instanceof Granted)) {
        releases.forEach(Runnable::run);
      }
      long token = peer.take(hold).token();
      assertThat(token).isGreaterThan(newest);
      newest = token;
      releases.add(() -> peer.release(hold));
    }
  }

  @Test
  void the_tokens_of_passes_belong_to_the_hold_and_the_next_grant_is_beyond_them() {
    RawPeer peer = raw();
    long newest = 0;
    for (int passes : new int[] {3, 0, 5, 1}) {
      Hold hold = peer.holder(name());
      Granted grant = RawPeer.granted(peer.ask(hold, Duration.ZERO, passes));
      assertThat(grant.passes()).isBetween(0, passes);
      assertThat(grant.token()).isGreaterThan(newest);
      newest = grant.token() + grant.passes();
      peer.release(hold);
    }
  }

  @Test
  void a_hand_over_has_the_passes_that_its_waiter_asked_for_beyond_all_tokens_before() {
    RawPeer first = raw();
    Hold held = first.holder(name());
    Granted before = RawPeer.granted(first.ask(held, Duration.ZERO, 4));
    RawPeer second = raw();
    Hold waiting = second.holder(name());
    second.ask(waiting, Duration.ofMinutes(1), 2);
    first.release(held);
    Granted after = second.await(waiting, 2);
    assertThat(after.passes()).isBetween(0, 2);
    assertThat(after.token()).isGreaterThan(before.token() + before.passes());
    second.release(waiting);
    Granted last = first.take(first.holder(name()));
    assertThat(last.token()).isGreaterThan(after.token() + after.passes());
  }

  @Test
  void each_lease_has_a_token_of_its_own_also_when_it_was_passed_on_locally() {
    Peer process = bench().peer(builder -> builder.localPasses(4, Duration.ofSeconds(10)));
    Lease lease = process.take(name());
    List<Asking> waiters = new ArrayList<>();
    for (int waiter = 0; waiter < 6; waiter++) {
      waiters.add(process.ask(Form.ASYNC, process.lock(name()), Peer.LONG_WAIT));
    }
    for (Asking waiter : waiters) {
      long before = lease.token().value();
      process.release(lease);
      lease = waiter.lease();
      assertThat(lease.token().value()).isGreaterThan(before);
    }
    long passed = lease.token().value();
    process.release(lease);
    assertThat(peer().take(name()).token().value()).isGreaterThan(passed);
  }

  @Test
  void tokens_go_on_growing_after_a_restart_of_the_store() {
    requires(Capability.TOKENS_SURVIVE_RESTART);
    RawPeer before = raw();
    Hold hold = before.holder(name());
    long old = before.take(hold).token();
    bench().end(before);
    restartOfTheStore.run();
    RawPeer after = raw();
    assertThat(after.take(after.holder(name())).token()).isGreaterThan(old);
  }
}
