// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.Guarantees;
import io.holdfast.LockState;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Counts what is asked of a store: the currency in which its load is paid. */
final class CountingBackend implements LockBackend {
  private final LockBackend store;
  private final LongAdder requests = new LongAdder();

  CountingBackend(LockBackend store) {
    this.store = store;
  }

  long requests() {
    return requests.sum();
  }

  @Override
  public void start(BackendContext context) {
    store.start(context);
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    requests.increment();
    return store.acquire(request);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    requests.increment();
    return store.renew(holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    requests.increment();
    return store.release(hold);
  }

  @Override
  public CompletionStage<LockState> inspect(String name) {
    return store.inspect(name);
  }

  @Override
  public CompletionStage<List<LockState>> list(String prefix, int limit) {
    return store.list(prefix, limit);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return store.forceRelease(name, token, reason);
  }

  @Override
  public Guarantees guarantees() {
    return store.guarantees();
  }

  @Override
  public Object lane(String name) {
    return store.lane(name);
  }

  @Override
  public void close() {
    store.close();
  }
}
