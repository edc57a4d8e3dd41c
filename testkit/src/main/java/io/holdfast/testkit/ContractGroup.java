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

  /** Another process, by the API, with long leases. */
  Peer peer() {
    return peer(longLease());
  }

  /** Another process, by the API, for what happens within a lease time or at its end. */
  Peer peer(Duration leaseTime) {
    return bench().peer(builder -> builder.leaseTime(leaseTime));
  }

  /** Another process, by the SPI, with long leases. */
  RawPeer raw() {
    return raw(longLease());
  }

  /** Another process, by the SPI, for what happens within a lease time or at its end. */
  RawPeer raw(Duration leaseTime) {
    return bench().raw(leaseTime);
  }

  /** The name of this test's lock. */
  String name() {
    return name("lock");
  }

  /** The name of one of this test's locks. */
  String name(String last) {
    return bench().prefix() + last;
  }

  /** A lease time in which the machine comes to look at the hold before its end. */
  Duration leaseTime() {
    return bench().leaseTime();
  }

  /** A lease time for what must be renewed by a thread that the machine may keep waiting. */
  Duration renewedLease() {
    Duration renewed = leaseTime().multipliedBy(3);
    Duration longest = bench().longLease();
    return renewed.compareTo(longest) < 0 ? renewed : longest;
  }

  /** A lease time for what only has to end: nothing is looked at before, so it may be short. */
  Duration briefLease() {
    Duration brief = leaseTime().dividedBy(3);
    Duration shortest = bench().guarantees().shortestLeaseTime();
    return brief.compareTo(shortest) < 0 ? shortest : brief;
  }

  /** A lease so long that no test sees its end: what is freed under it was released. */
  Duration longLease() {
    return bench().longLease();
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
          next.tryTake(name).ifPresent(taken::add);
          return !taken.isEmpty();
        });
    return taken.get(0);
  }

  /** Plays what must be looked at before a lease time is over. */
  void inTime(Consumer<Timetable> scenario) {
    inTime(leaseTime(), scenario);
  }

  void inTime(Duration leaseTime, Consumer<Timetable> scenario) {
    Timetable.play(passage(), leaseTime, scenario);
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
