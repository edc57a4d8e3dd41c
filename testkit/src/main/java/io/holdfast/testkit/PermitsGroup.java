// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** As many holders as there are permits. */
abstract class PermitsGroup extends ContractGroup {
  private static final int LIMIT = 3;

  PermitsGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @BeforeEach
  void requires_permits() {
    requires(Capability.PERMITS);
  }

  private DistributedLock semaphore(Peer peer) {
    return peer.holdfast().semaphore(name(), LIMIT);
  }

  @Test
  void as_many_hold_as_there_are_permits_and_no_more() {
    List<Lease> leases = new ArrayList<>();
    for (Peer peer : bench().peers(LIMIT)) {
      leases.add(peer.take(semaphore(peer)));
    }
    Peer late = peer();
    assertThat(late.tryTake(semaphore(late))).isEmpty();
    assertThat(leases).allMatch(Lease::isHeld);
    assertThat(late.inspect(name()).holders()).hasSize(LIMIT);
  }

  @Test
  void one_process_may_hold_them_all() {
    Peer process = peer();
    for (int permit = 0; permit < LIMIT; permit++) {
      process.take(semaphore(process));
    }
    assertThat(process.tryTake(semaphore(process))).isEmpty();
  }

  @BothForms
  void a_released_permit_goes_to_whoever_waits(Form form) {
    Peer holder = peer();
    List<Lease> leases = new ArrayList<>();
    for (int permit = 0; permit < LIMIT; permit++) {
      leases.add(holder.take(semaphore(holder)));
    }
    Peer other = peer();
    Asking waiter = other.stand(form, semaphore(other));
    assertThat(waiter.isDone()).isFalse();
    holder.release(leases.get(1));
    assertThat(waiter.lease().isHeld()).isTrue();
    assertThat(peer().inspect(name()).holders()).hasSize(LIMIT);
  }

  @Test
  void many_threads_of_many_processes_never_hold_more_than_there_are() {
    List<DistributedLock> semaphores =
        bench().peers(3).stream().map(peer -> semaphore(peer)).toList();
    new Contention(passage(), LIMIT).run(semaphores);
  }

  @Test
  void permits_of_a_process_that_died_come_back() {
    requires(Capability.EXPIRY);
    Peer dead = peer(briefLease());
    for (int permit = 0; permit < LIMIT; permit++) {
      dead.takeBriefly(semaphore(dead));
    }
    dead.network().cutOff();
    for (Peer next : bench().peers(LIMIT)) {
      assertThat(next.stand(Form.ASYNC, semaphore(next)).lease().isHeld()).isTrue();
    }
  }

  @Test
  void a_hold_of_several_permits_takes_that_many() {
    RawPeer process = raw();
    Hold two = process.holder(name(), Mode.permits(2, LIMIT));
    process.take(two);
    Hold twoMore = process.holder(name(), Mode.permits(2, LIMIT));
    assertThat(process.ask(twoMore)).isInstanceOf(Acquisition.Held.class);
    process.take(process.holder(name(), Mode.permits(1, LIMIT)));
    process.release(two);
    process.take(twoMore);
  }

  @Test
  void a_waiter_for_several_permits_is_not_starved_by_those_who_want_few() {
    requires(Capability.ORDER);
    RawPeer process = raw();
    Hold one = process.holder(name(), Mode.permits(1, LIMIT));
    process.take(one);
    RawPeer other = raw();
    Hold all = other.stand(other.holder(name(), Mode.permits(LIMIT, LIMIT)));
    Hold small = process.holder(name(), Mode.permits(1, LIMIT));
    assertThat(process.ask(small)).isInstanceOf(Acquisition.Held.class);
    process.release(one);
    other.await(all);
  }

  @Test
  void another_limit_is_refused_while_the_name_is_in_use() {
    Peer holder = peer();
    Lease lease = holder.take(semaphore(holder));
    Peer other = peer();
    DistributedLock another = other.holdfast().semaphore(name(), LIMIT + 1);
    assertThatThrownBy(() -> other.tryTake(another)).isInstanceOf(IllegalStateException.class);
    holder.release(lease);
    other.take(another);
  }

  @Test
  void a_lock_is_not_a_semaphore_while_it_is_held() {
    Peer holder = peer();
    Lease lease = holder.take(name());
    Peer other = peer();
    assertThatThrownBy(() -> other.tryTake(semaphore(other)))
        .isInstanceOf(IllegalStateException.class);
    holder.release(lease);
    other.take(semaphore(other));
  }

  @Test
  void a_semaphore_is_not_a_lock_while_it_is_held() {
    Peer holder = peer();
    holder.take(semaphore(holder));
    Peer other = peer();
    assertThatThrownBy(() -> other.tryTake(name())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_refusal_leaves_nothing_in_the_queue() {
    RawPeer process = raw();
    Hold held = process.take(name());
    RawPeer other = raw();
    Hold stranger = other.holder(name(), Mode.permits(1, LIMIT));
    assertThat(other.queue(stranger)).isInstanceOf(Acquisition.Refused.class);
    assertThat(process.inspect(name()).waiters()).isEmpty();
    process.release(held);
    assertThat(process.inspect(name()).isFree()).isTrue();
  }
}
