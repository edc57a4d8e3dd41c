// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that grants a lock, takes it back at once, and says so while we are still busy with the
 * grant: at whichever moment the word comes, nobody believes to hold what the store does not keep.
 */
class EarlyLossTest {
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);
  private static final int MOMENTS = 12;

  /** Each look at the clock is a moment at which something can happen on another thread. */
  private static final class Moments implements TimeSource {
    private final ManualTime time = new ManualTime();
    private int left = -1;
    private @Nullable Runnable event;

    void after(int looks, Runnable then) {
      left = looks;
      event = then;
    }

    @Override
    public Moment now() {
      Runnable happens = left == 0 ? event : null;
      left--;
      if (happens != null) {
        happens.run();
      }
      return time.now();
    }

    @Override
    public void after(Duration delay, Runnable task) {
      time.after(delay, task);
    }
  }

  private static final class TakesBack extends ForwardingBackend {
    private final Moments moments;
    private final int looks;
    private @Nullable BackendContext context;
    private @Nullable Thread taking;

    TakesBack(Moments moments, int looks) {
      super(BackendProvider.backendAt("memory:"));
      this.moments = moments;
      this.looks = looks;
    }

    @Override
    public void start(BackendContext context) {
      this.context = context;
      super.start(context);
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      CompletionStage<Acquisition> answer = super.acquire(request);
      if (taking == null) {
        taking = new Thread(() -> takeBack(request.hold()));
        moments.after(looks, this::begin);
        moments.now(); // The first moment: granted, and not yet answered.
      }
      return answer;
    }

    /** On a thread of its own, which may have to wait until we are done with something. */
    private void begin() {
      taking.start();
      try {
        taking.join(50);
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }

    private void takeBack(Hold hold) {
      release(hold).toCompletableFuture().join();
      context.lost(hold.holder(), LossCause.GONE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT30S"})
  void a_grant_that_is_taken_back_at_once_leaves_nobody_who_believes_to_hold(Duration wait)
      throws Exception {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments moments = new Moments();
      TakesBack store = new TakesBack(moments, looks);
      try (Holdfast holdfast =
          Holdfast.builder(store)
              .time(moments)
              .callbacks(Runnable::run)
              .leaseTime(LEASE_TIME)
              .shutdownHook(false)
              .build()) {
        CompletableFuture<Optional<Lease>> asked = holdfast.lock("n").async().tryAcquire(wait);
        moments.time.advance(Duration.ofMillis(100));
        moments.now();
        store.taking.join();
        moments.time.advance(Duration.ofMillis(100));
        LockState state = store.inspect("n").toCompletableFuture().join();
        Optional<Lease> lease = asked.join().filter(Lease::isHeld);
        assertThat(tokens(state))
            .as("at moment %d", looks)
            .isEqualTo(lease.stream().map(Lease::token).toList());
      }
    }
  }

  private static List<FencingToken> tokens(LockState state) {
    return state.holders().stream().flatMap(holding -> holding.token().stream()).toList();
  }
}
