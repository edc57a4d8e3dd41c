// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.LockBackend;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Counts what is asked of a store: the currency in which its load is paid. */
final class CountingBackend extends ForwardingBackend {
  private final LongAdder requests = new LongAdder();

  CountingBackend(LockBackend store) {
    super(store);
  }

  long requests() {
    return requests.sum();
  }

  /** What its servers have done, by their own count. */
  OptionalLong executed() {
    try {
      return executedCommands().toCompletableFuture().join();
    } catch (CompletionException notAllowed) {
      return OptionalLong.empty();
    }
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    requests.increment();
    return super.acquire(request);
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    requests.increment();
    return super.renew(holds);
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    requests.increment();
    return super.release(hold);
  }
}
