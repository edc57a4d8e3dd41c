// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;

/** The words in which the groups of the contract are written. */
abstract class ContractGroup {
  private final Supplier<Bench> bench;

  ContractGroup(Supplier<Bench> bench) {
    this.bench = bench;
  }

  Bench bench() {
    return bench.get();
  }

  Passage passage() {
    return bench().passage();
  }

  /** Another process, by the API. */
  Peer peer() {
    return bench().peer();
  }

  /** Another process, by the SPI. */
  RawPeer raw() {
    return bench().raw();
  }

  /** The name of this test's lock. */
  String name() {
    return name("lock");
  }

  /** The name of one of this test's locks. */
  String name(String last) {
    return bench().prefix() + last;
  }

  Duration leaseTime() {
    return bench().leaseTime();
  }

  /** A lease so long that no test sees its end: what is freed under it was released. */
  Duration longLease() {
    Duration longest = bench().guarantees().longestLeaseTime();
    return longest.compareTo(Peer.LONG_WAIT) < 0 ? longest : Peer.LONG_WAIT;
  }

  void pass(Duration duration) {
    passage().pass(duration);
  }

  void until(String what, BooleanSupplier isSo) {
    passage().until(what, isSo);
  }

  /** Reports the test as not claimed if the backend does not claim all of these. */
  void requires(Capability... capabilities) {
    for (Capability capability : capabilities) {
      if (!bench().guarantees().claims(capability)) {
        Assumptions.abort("not claimed: " + capability);
      }
    }
  }

  /** The lock can be taken in the end, by somebody who does not queue. */
  Lease assertBecomesFree(String name) {
    Peer next = peer();
    List<Lease> taken = new ArrayList<>(1);
    until(
        "'" + name + "' is free",
        () -> {
          next.tryTake(next.lock(name).withLeaseTime(longLease())).ifPresent(taken::add);
          return !taken.isEmpty();
        });
    return taken.get(0);
  }

  /** Plays what must be looked at before a lease time is over. */
  void inTime(Consumer<Timetable> scenario) {
    Timetable.play(passage(), leaseTime(), scenario);
  }

  /** The store shows this hold, and lets nobody else in. */
  void assertHolds(RawPeer peer, Hold hold) {
    assertHolds(peer, hold, raw());
  }

  /** The same, by a stranger who is there already: to open another store takes time. */
  void assertHolds(RawPeer peer, Hold hold, RawPeer stranger) {
    assertThat(peer.isShownAsHolder(hold)).isTrue();
    assertThat(stranger.ask(stranger.holder(hold.name()))).isInstanceOf(Acquisition.Held.class);
  }
}
