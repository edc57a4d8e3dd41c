// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.LockState;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the processes that use a store, at the level of the SPI: it sends each request as the test
 * says, and nothing by itself.
 */
final class RawPeer {
  /** As large as numbers of holders may be. */
  private static final long FIRST_NUMBER = Long.MAX_VALUE - 1_000_000;

  static final String PURPOSE = "to test the contract";
  private static final Duration LONG_PATIENCE = Duration.ofHours(1);

  private final LockBackend backend;
  private final Signals signals;
  private final Passage passage;
  private final Duration leaseTime;
  private final List<Hold> holds = new ArrayList<>();

  RawPeer(LockBackend backend, Signals signals, Passage passage, Duration leaseTime) {
    this.backend = backend;
    this.signals = signals;
    this.passage = passage;
    this.leaseTime = leaseTime;
    backend.start(signals);
  }

  LockBackend backend() {
    return backend;
  }

  Signals signals() {
    return signals;
  }

  /** A new holder that may ask for the lock. */
  Hold holder(String name) {
    return holder(name, Mode.EXCLUSIVE);
  }

  Hold holder(String name, Mode mode) {
    return holder(name, mode, leaseTime);
  }

  Hold holder(String name, Mode mode, Duration leaseTime) {
    Holder holder = new Holder(signals.origin().process(), FIRST_NUMBER + holds.size());
    Hold hold = new Hold(name, holder, mode, leaseTime);
    holds.add(hold);
    return hold;
  }

  /** Asks once, and does not queue. */
  Acquisition ask(Hold hold) {
    return ask(hold, Duration.ZERO, 0);
  }

  /** Asks, and stands in the queue if it is held. */
  Acquisition queue(Hold hold) {
    return ask(hold, LONG_PATIENCE, 0);
  }

  Acquisition ask(Hold hold, Duration patience, int passes) {
    return passage.answer(
        backend.acquire(new AcquireRequest(hold, patience, passes, passage.now(), PURPOSE)));
  }

  /** Takes a lock that is free. */
  Granted take(Hold hold) {
    return granted(ask(hold));
  }

  Hold take(String name) {
    Hold hold = holder(name);
    take(hold);
    return hold;
  }

  static Granted granted(Acquisition answer) {
    assertThat(answer).isInstanceOf(Granted.class);
    return (Granted) answer;
  }

  /** Stands in the queue of a lock that is held. */
  Hold stand(String name) {
    return stand(holder(name));
  }

  Hold stand(Hold hold) {
    assertThat(queue(hold)).isInstanceOf(Acquisition.Held.class);
    return hold;
  }

  /** Waits until it is granted: it is told, or finds out by asking again, as core does. */
  Granted await(Hold hold) {
    return await(hold, 0);
  }

  Granted await(Hold hold, int passes) {
    List<Granted> grant = new ArrayList<>(1);
    passage.until(
        "the waiter is granted the lock",
        () -> {
          signals.grantOf(hold.holder()).ifPresent(grant::add);
          if (grant.isEmpty() && ask(hold, LONG_PATIENCE, passes) instanceof Granted granted) {
            grant.add(granted);
          }
          return !grant.isEmpty();
        });
    return grant.get(0);
  }

  /** Whether the store shows it as a holder. */
  boolean isShownAsHolder(Hold hold) {
    return inspect(hold.name()).holders().stream()
        .anyMatch(shown -> shown.holder().equals(hold.holder().toString()));
  }

  Renewal renew(Hold hold) {
    return renew(List.of(hold)).get(0);
  }

  List<Renewal> renew(List<Hold> holds) {
    return passage.answer(backend.renew(holds));
  }

  boolean release(Hold hold) {
    return passage.answer(backend.release(hold));
  }

  LockState inspect(String name) {
    return passage.answer(backend.inspect(name));
  }

  List<LockState> list(String prefix, int limit) {
    return passage.answer(backend.list(prefix, limit));
  }

  boolean forceRelease(String name, long token) {
    return passage.answer(backend.forceRelease(name, token, "the contract asks for it"));
  }

  /** As core does before it closes a backend. */
  void close() {
    try {
      holds.forEach(this::release);
    } finally {
      backend.close();
    }
  }
}
