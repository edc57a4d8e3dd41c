// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** One holder at a time, whoever asks. */
abstract class MutualExclusionGroup extends ContractGroup {

  MutualExclusionGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @Test
  void a_held_lock_is_not_granted_to_another_process() {
    Lease lease = peer().take(name());
    assertThat(peer().tryTake(name())).isEmpty();
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_held_lock_is_not_granted_to_its_own_process_again() {
    Peer process = peer();
    Lease lease = process.take(name());
    assertThat(process.tryTake(name())).isEmpty();
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void two_holders_of_one_process_exclude_each_other_in_the_store() {
    RawPeer process = raw();
    Hold first = process.take(name());
    assertThat(process.ask(process.holder(name()))).isInstanceOf(Acquisition.Held.class);
    Hold waiter = process.stand(name());
    assertThat(process.isShownAsHolder(waiter)).isFalse();
    assertThat(process.isShownAsHolder(first)).isTrue();
  }

  @Test
  void a_released_lock_is_granted_to_the_next_who_asks() {
    Peer first = peer();
    Peer second = peer();
    for (int round = 0; round < 3; round++) {
      first.release(first.take(name()));
      second.release(second.take(name()));
    }
  }

  @Test
  void locks_of_different_names_do_not_exclude_each_other() {
    Peer process = peer();
    Lease one = process.take(name("one"));
    Lease other = process.take(name("other"));
    assertThat(one.isHeld()).isTrue();
    assertThat(other.isHeld()).isTrue();
  }

  @Test
  void many_threads_of_many_processes_never_hold_a_lock_at_once() {
    new Contention(passage(), 1).run(List.of(lock(peer()), lock(peer()), lock(peer())));
  }

  @Test
  void many_threads_that_pass_a_lock_on_in_their_processes_never_hold_it_at_once() {
    new Contention(passage(), 1)
        .run(List.of(lock(passingPeer()), lock(passingPeer()), lock(passingPeer())));
  }

  private DistributedLock lock(Peer peer) {
    return peer.lock(name());
  }

  private Peer passingPeer() {
    return bench().peer(builder -> builder.localPasses(4, Duration.ofSeconds(1)));
  }
}
