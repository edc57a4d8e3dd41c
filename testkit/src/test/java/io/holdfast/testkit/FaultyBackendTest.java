// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holder;
import io.holdfast.LossCause;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend.AcquireRequest;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.testkit.FaultyBackend.Signal;
import io.holdfast.testkit.FaultyBackend.Verb;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FaultyBackendTest {
  private static final Duration DELAY = Duration.ofMillis(100);

  private final ManualTime time = new ManualTime();
  private final FaultyBackend backend =
      new FaultyBackend(BackendProvider.backendAt("memory:" + UUID.randomUUID()));
  private final Signals signals = new Signals(time, new Origin("process", "localhost", 1, "test"));
  private final Hold first = hold(1);
  private final Hold second = hold(2);

  FaultyBackendTest() {
    backend.start(signals);
  }

  private static Hold hold(int number) {
    return new Hold("lock", new Holder("process", number), Mode.EXCLUSIVE, Duration.ofHours(1));
  }

  private CompletableFuture<Acquisition> acquire(Hold hold) {
    Duration patience = Duration.ofMinutes(1);
    return backend
        .acquire(new AcquireRequest(hold, patience, 0, time.now(), null))
        .toCompletableFuture();
  }

  private void ask(Hold hold) {
    CompletableFuture<Acquisition> unused = acquire(hold);
  }

  private boolean isHeld() {
    return !backend.inspect("lock").toCompletableFuture().join().isFree();
  }

  private static void assertFailed(CompletableFuture<?> reply, Outcome outcome) {
    assertThat(Passage.failure(reply))
        .isInstanceOfSatisfying(
            BackendException.class, failure -> assertThat(failure.outcome()).isEqualTo(outcome));
  }

  @Test
  void without_a_script_it_does_what_the_backend_does() {
    assertThat(acquire(first)).isCompletedWithValueMatching(Acquisition.Granted.class::isInstance);
    assertThat(acquire(second)).isCompletedWithValueMatching(Acquisition.Held.class::isInstance);
    assertThat(backend.release(first).toCompletableFuture()).isCompletedWithValue(true);
    assertThat(signals.grantOf(second.holder())).isPresent();
    assertThat(backend.guarantees().backend()).isEqualTo("memory");
  }

  @Test
  void it_counts_requests_and_answers_by_verb() {
    backend.next(Verb.ACQUIRE).loseReply();
    ask(first);
    ask(first);
    assertThat(backend.calls(Verb.ACQUIRE)).isEqualTo(2);
    assertThat(backend.answers(Verb.ACQUIRE)).isEqualTo(1);
    assertThat(backend.calls(Verb.RELEASE)).isZero();
  }

  @Nested
  class Requests {

    @Test
    void a_request_can_be_late() {
      backend.next(Verb.ACQUIRE).delayRequest(DELAY);
      CompletableFuture<Acquisition> reply = acquire(first);
      assertThat(isHeld()).isFalse();
      time.advance(DELAY);
      assertThat(isHeld()).isTrue();
      assertThat(reply).isCompleted();
    }

    @Test
    void a_reply_can_be_late() {
      backend.next(Verb.ACQUIRE).delayReply(DELAY);
      CompletableFuture<Acquisition> reply = acquire(first);
      assertThat(isHeld()).isTrue();
      assertThat(reply).isNotDone();
      time.advance(DELAY);
      assertThat(reply).isCompleted();
    }

    @Test
    void a_request_can_be_lost() {
      backend.next(Verb.ACQUIRE).loseRequest();
      assertThat(acquire(first)).isNotDone();
      assertThat(isHeld()).isFalse();
    }

    @Test
    void a_reply_can_be_lost() {
      backend.next(Verb.ACQUIRE).loseReply();
      assertThat(acquire(first)).isNotDone();
      assertThat(isHeld()).isTrue();
    }

    @Test
    void a_request_can_fail_without_effect() {
      backend.next(Verb.ACQUIRE).fail(Outcome.NOT_APPLIED);
      backend.next(Verb.ACQUIRE).fail(Outcome.UNKNOWN);
      assertFailed(acquire(first), Outcome.NOT_APPLIED);
      assertFailed(acquire(first), Outcome.UNKNOWN);
      assertThat(isHeld()).isFalse();
    }

    @Test
    void a_request_can_fail_although_it_was_carried_out() {
      backend.next(Verb.ACQUIRE).applyAndFail();
      assertFailed(acquire(first), Outcome.UNKNOWN);
      assertThat(isHeld()).isTrue();
    }

    @Test
    void a_release_can_overtake_its_acquire() {
      backend.next(Verb.ACQUIRE).holdBack();
      CompletableFuture<Acquisition> reply = acquire(first);
      assertThat(backend.release(first).toCompletableFuture()).isCompletedWithValue(false);
      backend.letGo();
      assertThat(reply).isCompleted();
      assertThat(isHeld()).isTrue();
    }
  }

  @Nested
  class Scripts {

    @Test
    void the_next_ones_come_before_every_one_and_in_the_order_of_the_script() {
      backend.every(Verb.ACQUIRE).loseRequest();
      backend.next(2, Verb.ACQUIRE).fail(Outcome.NOT_APPLIED);
      backend.next(Verb.ACQUIRE).passOn();
      assertFailed(acquire(first), Outcome.NOT_APPLIED);
      assertFailed(acquire(first), Outcome.NOT_APPLIED);
      assertThat(acquire(first)).isCompleted();
      assertThat(acquire(first)).isNotDone();
      assertThat(acquire(first)).isNotDone();
    }

    @Test
    void a_verb_does_not_suffer_for_another() {
      backend.every(Verb.ACQUIRE).loseRequest();
      assertThat(backend.release(first).toCompletableFuture()).isCompleted();
    }

    @Test
    void healing_forgets_them_and_sends_what_was_held_back() {
      backend.next(Verb.ACQUIRE).holdBack();
      backend.every(Verb.ACQUIRE).loseRequest();
      CompletableFuture<Acquisition> heldBack = acquire(first);
      CompletableFuture<Acquisition> lost = acquire(first);
      backend.heal();
      assertThat(heldBack).isCompleted();
      assertFailed(lost, Outcome.UNKNOWN);
      assertThat(acquire(first)).isCompleted();
    }
  }

  @Nested
  class CutOff {

    @Test
    void nothing_gets_through_in_either_direction() {
      backend.next(Verb.ACQUIRE).delayReply(DELAY);
      CompletableFuture<Acquisition> underWay = acquire(first);
      ask(second);
      backend.cutOff();
      time.advance(DELAY);
      assertThat(underWay).isNotDone();
      assertThat(backend.release(first).toCompletableFuture()).isNotDone();
      assertThat(backend.calls(Verb.RELEASE)).isEqualTo(1);
      backend.heal();
      assertFailed(underWay, Outcome.UNKNOWN);
      assertThat(isHeld()).isTrue();
    }

    @Test
    void signals_are_lost_too() {
      ask(first);
      ask(second);
      backend.next(Signal.GRANTED).delay(DELAY);
      backend.release(first);
      backend.cutOff();
      time.advance(DELAY);
      backend.heal();
      assertThat(signals.grantOf(second.holder())).isEmpty();
    }
  }

  @Nested
  class SignalFaults {

    @Test
    void a_signal_can_be_lost() {
      backend.next(Signal.GRANTED).drop();
      ask(first);
      ask(second);
      backend.release(first);
      assertThat(signals.grantOf(second.holder())).isEmpty();
      assertThat(acquire(second))
          .isCompletedWithValueMatching(Acquisition.Granted.class::isInstance);
    }

    @Test
    void a_signal_can_be_late() {
      backend.next(Signal.LOST).delay(DELAY);
      ask(first);
      backend.forceRelease("lock", tokenOfHolder(), "a test");
      assertThat(signals.lossOf(first.holder())).isEmpty();
      time.advance(DELAY);
      assertThat(signals.lossOf(first.holder())).contains(LossCause.FORCED);
    }

    @Test
    void a_signal_can_come_twice() {
      backend.every(Signal.GRANTED).repeat();
      ask(first);
      ask(second);
      backend.release(first);
      assertThat(signals.numberOfGrants()).isEqualTo(2);
    }

    private long tokenOfHolder() {
      return backend
          .inspect("lock")
          .toCompletableFuture()
          .join()
          .holders()
          .get(0)
          .token()
          .orElseThrow()
          .value();
    }
  }
}
