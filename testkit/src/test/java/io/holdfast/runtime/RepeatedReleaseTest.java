// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A release that the store did not confirm goes on in the background, one request at a time. */
class RepeatedReleaseTest {
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);

  private final ManualTime time = new ManualTime();
  private final ReleaseStore store = new ReleaseStore();

  /** Answers releases as it is told to, and counts them. */
  private static final class ReleaseStore extends ForwardingBackend {
    private final List<CompletableFuture<Boolean>> unanswered = new ArrayList<>();
    private int releases;
    private Supplier<CompletionStage<Boolean>> answer =
        () -> CompletableFuture.completedFuture(true);
    private boolean isSilent;
    private final CompletableFuture<Acquisition> late = new CompletableFuture<>();

    ReleaseStore() {
      super(BackendProvider.backendAt("memory:" + UUID.randomUUID()));
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      return isSilent ? late : super.acquire(request);
    }

    @Override
    public CompletionStage<Boolean> release(Hold hold) {
      releases++;
      return answer.get();
    }

    void failWith(BackendException failure) {
      answer = () -> CompletableFuture.failedFuture(failure);
    }

    void hold() {
      answer =
          () -> {
            CompletableFuture<Boolean> pending = new CompletableFuture<>();
            unanswered.add(pending);
            return pending;
          };
    }

    void confirm() {
      answer = () -> CompletableFuture.completedFuture(true);
    }
  }

  private Holdfast holdfast() {
    return Holdfast.builder(store)
        .time(time)
        .leaseTime(LEASE_TIME)
        .callbacks(Runnable::run)
        .shutdownHook(false)
        .build();
  }

  /** Acquires, and releases without an answer that confirms it. */
  private static void releaseInVain(Holdfast holdfast) {
    Lease lease = holdfast.lock("n").tryAcquire().orElseThrow();
    lease.close();
  }

  @Test
  void is_repeated_until_the_store_confirms_it() {
    try (Holdfast holdfast = holdfast()) {
      store.failWith(BackendException.unknown("on purpose", null));
      releaseInVain(holdfast);
      assertThat(store.releases).isEqualTo(1);
      store.confirm();
      time.advance(LEASE_TIME);
      assertThat(store.releases).isEqualTo(2);
      time.advance(LEASE_TIME);
      assertThat(store.releases).isEqualTo(2);
    }
  }

  @Test
  void is_given_up_when_the_store_has_dropped_the_hold_by_itself() {
    try (Holdfast holdfast = holdfast()) {
      store.failWith(BackendException.unknown("on purpose", null));
      releaseInVain(holdfast);
      time.advance(LEASE_TIME);
      int within = store.releases;
      assertThat(within).isGreaterThan(2);
      time.advance(LEASE_TIME);
      int after = store.releases;
      time.advance(LEASE_TIME.multipliedBy(10));
      assertThat(store.releases).isEqualTo(after);
    }
  }

  @Test
  void is_not_repeated_if_the_store_refuses_it() {
    try (Holdfast holdfast = holdfast()) {
      store.failWith(BackendException.refused("on purpose", null));
      releaseInVain(holdfast);
      time.advance(LEASE_TIME);
      assertThat(store.releases).isEqualTo(1);
    }
  }

  @Test
  void waits_for_the_answer_to_the_one_before() {
    Holdfast holdfast = holdfast(); // Left open: closing waits for all releases.
    store.isSilent = true;
    store.hold();
    CompletableFuture<Lease> left = holdfast.lock("n").async().acquire(LEASE_TIME);
    left.cancel(false);
    assertThat(store.releases).as("for the request that is unanswered").isEqualTo(1);
    store.late.completeExceptionally(BackendException.unknown("on purpose", null));
    assertThat(store.releases).as("while the first one is unanswered").isEqualTo(1);
    store.confirm();
    store.unanswered.get(0).complete(false);
    assertThat(store.releases).as("the request may have been carried out later").isEqualTo(2);
  }
}
