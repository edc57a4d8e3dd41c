// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Lease;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers together, writers alone, and neither starves. */
abstract class SharedGroup extends ContractGroup {

  SharedGroup(Supplier<Bench> bench) {
    super(bench);
  }

  @BeforeEach
  void requires_shared_holds() {
    requires(Capability.SHARED);
  }

  private DistributedLock reading(Peer peer) {
    return peer.lock(name()).shared();
  }

  private DistributedLock writing(Peer peer) {
    return peer.lock(name());
  }

  @Test
  void readers_hold_the_lock_together() {
    Peer process = peer();
    Peer other = peer();
    List<Lease> readers =
        List.of(
            process.take(reading(process)),
            process.take(reading(process)),
            other.take(reading(other)));
    assertThat(readers).allMatch(Lease::isHeld);
    assertThat(peer().inspect(name()).holders()).hasSize(3);
  }

  @Test
  void a_writer_is_kept_out_until_the_last_reader_has_left() {
    Peer first = peer();
    Peer second = peer();
    Lease one = first.take(reading(first));
    Lease other = second.take(reading(second));
    Peer writer = peer();
    assertThat(writer.tryTake(name())).isEmpty();
    first.release(one);
    assertThat(writer.tryTake(name())).isEmpty();
    second.release(other);
    writer.take(name());
  }

  @Test
  void a_reader_is_kept_out_by_a_writer() {
    Peer writer = peer();
    Lease lease = writer.take(writing(writer));
    Peer reader = peer();
    assertThat(reader.tryTake(reading(reader))).isEmpty();
    assertThat(writer.tryTake(reading(writer))).isEmpty();
    writer.release(lease);
    reader.take(reading(reader));
  }

  @Test
  void a_reader_does_not_become_a_writer_beside_itself() {
    RawPeer process = raw();
    process.take(process.holder(name(), Mode.SHARED));
    assertThat(process.ask(process.holder(name()))).isInstanceOf(Acquisition.Held.class);
  }

  @BothForms
  void a_writer_does_not_starve_behind_readers_that_come_and_go(Form form) {
    requires(Capability.ORDER);
    Peer reader = peer();
    Lease reading = reader.take(reading(reader));
    Peer writer = peer();
    Asking waiting = writer.stand(form, writing(writer));
    Peer late = peer();
    assertThat(late.tryTake(reading(late))).isEmpty();
    Asking behind = late.stand(form, reading(late));
    assertThat(behind.isDone()).isFalse();
    reader.release(reading);
    Lease writing = waiting.lease();
    assertThat(behind.isDone()).isFalse();
    writer.release(writing);
    assertThat(behind.lease().isHeld()).isTrue();
  }

  @Test
  void readers_behind_a_writer_come_in_together_when_it_leaves() {
    Peer writer = peer();
    Lease writing = writer.take(writing(writer));
    List<Peer> readers = bench().peers(3);
    List<Asking> waiting =
        readers.stream().map(peer -> peer.stand(Form.ASYNC, reading(peer))).toList();
    writer.release(writing);
    List<Lease> leases = waiting.stream().map(Asking::lease).toList();
    assertThat(leases).allMatch(Lease::isHeld);
  }

  @Test
  void a_writer_that_gives_up_lets_the_readers_behind_it_in() {
    requires(Capability.ORDER);
    Peer reader = peer();
    reader.take(reading(reader));
    Peer writer = peer();
    Asking impatient = writer.stand(Form.ASYNC, writing(writer));
    Peer late = peer();
    Asking behind = late.stand(Form.ASYNC, reading(late));
    assertThat(behind.isDone()).isFalse();
    impatient.breakOff();
    assertThat(behind.lease().isHeld()).isTrue();
  }

  @Test
  void a_writer_that_gives_up_lets_the_readers_in_with_no_need_to_ask() {
    requires(Capability.ORDER);
    RawPeer process = raw();
    process.take(process.holder(name(), Mode.SHARED));
    RawPeer other = raw();
    Hold writer = other.stand(name());
    Hold behind = process.stand(process.holder(name(), Mode.SHARED));
    other.release(writer);
    process.await(behind);
    assertThat(process.inspect(name()).holders()).hasSize(2);
  }

  @Test
  void many_readers_and_writers_never_overlap() {
    Peer one = peer();
    Peer other = peer();
    new Contention(passage(), 100)
        .run(List.of(reading(one), writing(one), reading(other), writing(other)));
  }

  @Test
  void a_reader_that_died_lets_the_writer_in() {
    requires(Capability.EXPIRY);
    Peer dead = peer(briefLease());
    dead.takeBriefly(dead.lock(name()).shared());
    dead.network().cutOff();
    Asking writer = peer().stand(name());
    assertThat(writer.lease().isHeld()).isTrue();
  }

  @Test
  void the_end_of_one_reader_does_not_end_the_others() {
    requires(Capability.EXPIRY);
    RawPeer dead = raw(briefLease());
    dead.take(dead.holder(name(), Mode.SHARED));
    Peer alive = peer();
    Lease reading = alive.take(alive.lock(name()).shared());
    until("the dead reader is gone", () -> alive.inspect(name()).holders().size() == 1);
    assertThat(reading.isHeld()).isTrue();
    assertThat(peer().tryTake(name())).isEmpty();
  }
}
