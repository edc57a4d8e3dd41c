// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.FencingToken;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
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

  /** Something happens on another thread at one of the moments after the grant. */
  private abstract static class Interrupts extends ForwardingBackend {
    private final Moments moments;
    private final int looks;
    @Nullable BackendContext context;
    private @Nullable Thread taking;

    Interrupts(Moments moments, int looks) {
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
      if (taking != null) {
        return answer;
      }
      CompletableFuture<Acquisition> told = new CompletableFuture<>();
      taking = new Thread(() -> happens(request.hold(), told));
      granted(request.hold(), (Granted) answer.toCompletableFuture().join(), told);
      return told;
    }

    /** From now on moments count; the first one is now. */
    final void count() {
      moments.after(looks, this::begin);
      moments.now();
    }

    /** The store has granted it, and tells so. */
    abstract void granted(Hold hold, Granted grant, CompletableFuture<Acquisition> answer);

    /** What happens on another thread. */
    abstract void happens(Hold hold, CompletableFuture<Acquisition> answer);

    /** On a thread of its own, which may have to wait until we are done with something. */
    private void begin() {
      taking.start();
      try {
        taking.join(50);
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }
  }

  private static final class TakesBack extends Interrupts {
    TakesBack(Moments moments, int looks) {
      super(moments, looks);
    }

    @Override
    void granted(Hold hold, Granted grant, CompletableFuture<Acquisition> answer) {
      count();
      answer.complete(grant);
    }

    @Override
    void happens(Hold hold, CompletableFuture<Acquisition> answer) {
      release(hold).toCompletableFuture().join();
      context.lost(hold.holder(), LossCause.GONE);
    }
  }

  /**
   * Tells of a grant by a signal, and then that it was lost; but what was asked then is granted.
   */
  private static final class GrantsAgain extends Interrupts {
    GrantsAgain(Moments moments, int looks) {
      super(moments, looks);
    }

    @Override
    void granted(Hold hold, Granted grant, CompletableFuture<Acquisition> answer) {
      context.after(
          Duration.ofMillis(1),
          () -> {
            count();
            context.granted(hold.holder(), grant);
          });
    }

    @Override
    void happens(Hold hold, CompletableFuture<Acquisition> answer) {
      context.lost(hold.holder(), LossCause.TAKEN);
      answer.completeExceptionally(BackendException.unknown("it was lost at once", null));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT30S"})
  void a_grant_that_is_taken_back_at_once_leaves_nobody_who_believes_to_hold(Duration wait)
      throws Exception {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments moments = new Moments();
      assertStoreAndCallerAgree(moments, new TakesBack(moments, looks), wait, looks);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT30S"})
  void what_is_granted_while_the_grant_before_it_is_lost_is_not_left_in_the_store(Duration wait)
      throws Exception {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments moments = new Moments();
      assertStoreAndCallerAgree(moments, new GrantsAgain(moments, looks), wait, looks);
    }
  }

  private static void assertStoreAndCallerAgree(
      Moments moments, Interrupts store, Duration wait, int looks) throws Exception {
    try (Holdfast holdfast =
        Holdfast.builder(store)
            .time(moments)
            .callbacks(Runnable::run)
            .leaseTime(LEASE_TIME)
            .shutdownHook(false)
            .build()) {
      CompletableFuture<Optional<Lease>> asked = holdfast.lock("n").async().tryAcquire(wait);
      moments.time.advance(Duration.ofMillis(100));
      while (moments.left >= 0) {
        moments.now();
      }
      store.taking.join();
      moments.time.advance(Duration.ofSeconds(1));
      LockState state = store.inspect("n").toCompletableFuture().join();
      Optional<Lease> lease =
          asked.exceptionally(failed -> Optional.empty()).join().filter(Lease::isHeld);
      assertThat(tokens(state))
          .as("at moment %d", looks)
          .isEqualTo(lease.stream().map(Lease::token).toList());
    }
  }

  private static List<FencingToken> tokens(LockState state) {
    return state.holders().stream().flatMap(holding -> holding.token().stream()).toList();
  }
}
