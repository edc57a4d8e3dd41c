// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.spi.LockBackend.Acquisition.Granted;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.Moment;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A waiter asks again, is handed the lock by a signal before that is answered, and releases it: at
 * whichever moment the answer comes, the release frees what was held, and says so.
 */
class LateAnswerTest {
  private static final Duration WAIT = Duration.ofMinutes(1);
  private static final int MOMENTS = 12;

  /** Each look at the clock is a moment at which something can happen on another thread. */
  private static final class Moments implements TimeSource {
    private final ManualTime time = new ManualTime();
    private int left = -1;
    private @Nullable Runnable event;

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

  /** Answers the first request that it is held, and the second one when it is told to. */
  private static final class AnswersLate extends ForwardingBackend {
    private final CompletableFuture<Acquisition> late = new CompletableFuture<>();
    private final List<AcquireRequest> requests = new ArrayList<>();
    private final Set<Object> holders = new HashSet<>();
    private @Nullable BackendContext context;

    AnswersLate() {
      super(BackendProvider.backendAt("memory:"));
    }

    @Override
    public void start(BackendContext context) {
      this.context = context;
      super.start(context);
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      requests.add(request);
      return requests.size() == 1
          ? CompletableFuture.completedFuture(new Held(Duration.ofMillis(100)))
          : late;
    }

    void handOver() {
      AcquireRequest request = requests.get(0);
      holders.add(request.hold().holder());
      context.granted(request.hold().holder(), new Granted(1, 0, context.now()));
    }

    @Override
    public CompletionStage<Boolean> release(Hold hold) {
      return CompletableFuture.completedFuture(holders.remove(hold.holder()));
    }
  }

  @Test
  void to_a_request_that_a_signal_overtook_takes_nothing_from_the_release() {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments moments = new Moments();
      AnswersLate store = new AnswersLate();
      try (Holdfast holdfast =
          Holdfast.builder(store)
              .time(moments)
              .callbacks(Runnable::run)
              .shutdownHook(false)
              .build()) {
        CompletableFuture<Lease> asked = holdfast.lock("n").async().acquire(WAIT);
        moments.time.advance(Duration.ofSeconds(4));
        assertThat(store.requests).as("a repeat is under way").hasSize(2);
        store.handOver();
        Lease lease = asked.join();
        moments.event = () -> store.late.complete(new Held(WAIT));
        moments.left = looks;
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).as("at moment %d", looks).isTrue();
        assertThat(store.holders).isEmpty();
        store.late.complete(new Held(WAIT)); // At the latest.
      }
    }
  }

  @Test
  void that_is_a_hand_over_while_the_holdfast_is_closed_leaves_nothing_held() {
    for (int looks = 0; looks < MOMENTS; looks++) {
      Moments moments = new Moments();
      AnswersLate store = new AnswersLate();
      Holdfast holdfast =
          Holdfast.builder(store)
              .time(moments)
              .callbacks(Runnable::run)
              .shutdownHook(false)
              .build();
      CompletableFuture<Lease> asked = holdfast.lock("n").async().acquire(WAIT);
      moments.event = holdfast::close;
      moments.left = looks;
      store.handOver();
      moments.time.advance(Duration.ZERO);
      holdfast.close(); // At the latest.
      assertThat(store.holders).as("at moment %d", looks).isEmpty();
      assertThat(asked.isCompletedExceptionally() || !asked.join().isHeld())
          .as("at moment %d", looks)
          .isTrue();
    }
  }

  /** Grants at once, and lets the answer wait. */
  private static final class GrantsLate extends ForwardingBackend {
    private final List<Runnable> answers = new ArrayList<>();
    private final Set<Object> holders = new HashSet<>();

    GrantsLate() {
      super(BackendProvider.backendAt("memory:"));
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      CompletableFuture<Acquisition> answer = new CompletableFuture<>();
      holders.add(request.hold().holder());
      answers.add(() -> answer.complete(new Granted(1, 0, request.sent())));
      return answer;
    }

    @Override
    public CompletionStage<Boolean> release(Hold hold) {
      return CompletableFuture.completedFuture(holders.remove(hold.holder()));
    }
  }

  @Test
  void that_comes_when_the_lease_time_is_over_is_no_word_of_another_holder() {
    ManualTime time = new ManualTime();
    GrantsLate store = new GrantsLate();
    try (Holdfast holdfast =
        Holdfast.builder(store)
            .time(time)
            .leaseTime(Duration.ofSeconds(1))
            .callbacks(Runnable::run)
            .shutdownHook(false)
            .build()) {
      CompletableFuture<Optional<Lease>> asked = holdfast.lock("n").async().tryAcquire();
      time.advance(Duration.ofSeconds(2));
      store.answers.remove(0).run();
      time.advance(Duration.ZERO);
      assertThatThrownBy(asked::join)
          .cause()
          .isInstanceOfSatisfying(
              BackendException.class,
              failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN))
          .hasMessageContaining("lease time of PT1S was over");
      assertThat(store.holders).as("it is released").isEmpty();

      CompletableFuture<Optional<Lease>> next = holdfast.lock("n").async().tryAcquire();
      store.answers.remove(0).run();
      assertThat(next.join()).isPresent();
    }
  }
}
