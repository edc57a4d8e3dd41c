// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import io.holdfast.BackendException;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** A store whose answers and signals come on a thread of its own, as those of a network client. */
final class ThreadedBackend extends ForwardingBackend {
  static final String THREAD = "store";

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(task -> new Thread(task, THREAD));
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile boolean fails;

  ThreadedBackend(String address) {
    super(BackendProvider.backendAt(address));
  }

  /** From now on it answers nothing until {@link #open}. */
  void shut() {
    gate = new CountDownLatch(1);
  }

  void open() {
    gate.countDown();
  }

  /** From now on every request fails. */
  void fail() {
    fails = true;
  }

  private <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> request) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    CountDownLatch before = gate;
    thread.execute(
        () -> {
          await(before);
          if (fails) {
            reply.completeExceptionally(BackendException.refused("on purpose", null));
          } else {
            reply.complete(request.get().toCompletableFuture().join());
          }
        });
    return reply;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Override
  public CompletionStage<Acquisition> acquire(AcquireRequest request) {
    return answer(() -> super.acquire(request));
  }

  @Override
  public CompletionStage<List<Renewal>> renew(List<Hold> holds) {
    return answer(() -> super.renew(holds));
  }

  @Override
  public CompletionStage<Boolean> release(Hold hold) {
    return answer(() -> super.release(hold));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String name, long token, String reason) {
    return answer(() -> super.forceRelease(name, token, reason));
  }

  @Override
  public void close() {
    super.close();
    thread.shutdown();
  }
}
