// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.DistributedLock;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.testkit.FaultyBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * One of the processes that use a store, at the level of the API: a {@link Holdfast} of its own
 * behind a network of its own.
 */
final class Peer {
  /** Longer than anything lasts that a test waits for. */
  static final Duration LONG_WAIT = Duration.ofHours(1);

  private final Holdfast holdfast;
  private final FaultyBackend network;
  private final Passage passage;

  Peer(Holdfast holdfast, FaultyBackend network, Passage passage) {
    this.holdfast = holdfast;
    this.network = network;
    this.passage = passage;
  }

  Holdfast holdfast() {
    return holdfast;
  }

  /** What lies between this process and the store. */
  FaultyBackend network() {
    return network;
  }

  DistributedLock lock(String name) {
    return holdfast.lock(name);
  }

  /** Takes a lock that is free. */
  Lease take(String name) {
    return take(lock(name));
  }

  Lease take(DistributedLock lock) {
    return tryTake(lock).orElseThrow(() -> new AssertionError(lock.name() + " was not granted"));
  }

  /**
   * Takes a lock that is free, under a lease so short that it may have ended when the answer comes:
   * then it asks again.
   */
  Lease takeBriefly(DistributedLock lock) {
    List<Lease> taken = new ArrayList<>(1);
    passage.until(
        lock.name() + " is granted",
        () -> {
          tryTake(lock).ifPresent(taken::add);
          return !taken.isEmpty();
        });
    return taken.get(0);
  }

  Lease takeBriefly(String name) {
    return takeBriefly(lock(name));
  }

  Optional<Lease> tryTake(String name) {
    return tryTake(lock(name));
  }

  Optional<Lease> tryTake(DistributedLock lock) {
    return passage.answer(lock.async().tryAcquire());
  }

  /** Asks for a lock that is held, and waits until the store has given it a place. */
  Asking stand(String name) {
    return stand(Form.ASYNC, lock(name));
  }

  Asking stand(Form form, DistributedLock lock) {
    int before = network.answers(Verb.ACQUIRE);
    Asking waiter = form.tryAcquire(passage, lock, LONG_WAIT);
    passage.until("the waiter was answered", () -> network.answers(Verb.ACQUIRE) > before);
    return waiter;
  }

  Asking ask(Form form, DistributedLock lock, Duration wait) {
    return form.tryAcquire(passage, lock, wait);
  }

  boolean release(Lease lease) {
    return passage.answer(lock(lease.name()).async().release(lease));
  }

  LossCause lossOf(Lease lease) {
    return passage.answer(lease.loss());
  }

  static boolean isLost(Lease lease) {
    return lease.loss().toCompletableFuture().isDone();
  }

  boolean forceRelease(String name, FencingToken token) {
    return call(() -> holdfast.forceRelease(name, token, "the contract asks for it"));
  }

  LockState inspect(String name) {
    return call(() -> holdfast.inspect(name));
  }

  List<LockState> list(String prefix, int limit) {
    return call(() -> holdfast.list(prefix, limit));
  }

  /** A call that may block. */
  <T> T call(Callable<T> call) {
    return passage.call(call);
  }

  void close() {
    CompletableFuture<Boolean> closed =
        passage
            .start(
                () -> {
                  holdfast.close();
                  return true;
                })
            .outcome();
    passage.until("the process has closed its locks", closed::isDone);
  }
}
