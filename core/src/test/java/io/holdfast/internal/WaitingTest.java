// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whether callers' threads spin is a setting of each Holdfast. */
class WaitingTest {
  private final Thread caller = Thread.currentThread();
  private final AtomicInteger spunForGrants = new AtomicInteger();
  private final AtomicInteger spunForAnswers = new AtomicInteger();
  private final Waiting observed = new Waiting(counting(spunForAnswers), counting(spunForGrants));

  /** By a clock that stands still, no answer comes late. */
  private static Vigil counting(AtomicInteger spins) {
    return new Vigil(() -> 0, spins::incrementAndGet);
  }

  /** Answers only a caller that already waits: it spins, or sleeps. */
  private final class PatientStore extends ForwardingBackend {
    PatientStore() {
      super(BackendProvider.backendAt("memory:" + UUID.randomUUID()));
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      return onceAwaited(() -> super.acquire(request));
    }

    @Override
    public CompletionStage<Boolean> release(Hold hold) {
      return onceAwaited(() -> super.release(hold));
    }

    private <T> CompletionStage<T> onceAwaited(Supplier<CompletionStage<T>> request) {
      int before = spun();
      return CompletableFuture.runAsync(() -> awaitCaller(before))
          .thenCompose(awaited -> request.get());
    }
  }

  private int spun() {
    return spunForGrants.get() + spunForAnswers.get();
  }

  private void awaitCaller(int before) {
    try {
      Await.until(
          "the caller waits", () -> spun() > before || caller.getState() == Thread.State.WAITING);
    } catch (Exception never) {
      throw new AssertionError(never);
    }
  }

  private HoldfastBuilder builder() {
    return HoldfastBuilder.of(new PatientStore()).spinning(observed);
  }

  private void acquireAndRelease(HoldfastBuilder builder) throws InterruptedException {
    try (Holdfast holdfast = builder.build()) {
      holdfast.lock("waited").acquire(Duration.ofMinutes(5)).release();
      holdfast.lock("tried").tryAcquire().orElseThrow().release();
    }
  }

  @Test
  void a_single_caller_spins_for_grants_and_for_answers() throws Exception {
    acquireAndRelease(builder());
    assertThat(spunForGrants).hasPositiveValue();
    assertThat(spunForAnswers).hasPositiveValue();
  }

  @Test
  void no_caller_spins_where_it_is_turned_off() throws Exception {
    acquireAndRelease(builder().spinWhileWaiting(false));
    assertThat(spunForGrants).hasValue(0);
    assertThat(spunForAnswers).hasValue(0);
  }
}
