// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.internal.Inside;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Waiters of one process with different patience, for whom one attempt stands in the store. */
class LocalWaitsTest {
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final ScriptedStore store = new ScriptedStore();
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .time(time)
          .callbacks(Runnable::run)
          .pacing(Duration.ofMillis(20), Duration.ofSeconds(3))
          .shutdownHook(false)
          .build();
  private final DistributedLock lock = holdfast.lock("n");

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  private List<Holder> holders() {
    return store.requests.stream().map(request -> request.hold().holder()).toList();
  }

  private void failAll(int count, Outcome outcome) {
    for (int i = 0; i < count; i++) {
      store
          .nextLater()
          .completeExceptionally(
              outcome == Outcome.UNKNOWN
                  ? BackendException.unknown("on purpose", null)
                  : BackendException.notApplied("on purpose", null));
    }
  }

  private static void assertOutcome(CompletableFuture<?> asked, Outcome outcome) {
    assertThat(asked).isDone();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(asked::join)
        .havingCause()
        .isInstanceOfSatisfying(
            BackendException.class, failure -> assertThat(failure.outcome()).isEqualTo(outcome));
  }

  @Nested
  class AMorePatientWaiter {
    @Test
    void is_told_of_to_the_store_before_the_patience_that_it_knows_of_ends() {
      var one = lock.async().tryAcquire(SHORT);
      var other = lock.async().tryAcquire(LONG);
      assertThat(store.requests).hasSize(1);
      time.advance(SHORT.minusMillis(10));
      assertThat(store.requests).hasSize(2);
      assertThat(store.requests.get(1).patience()).isGreaterThan(LONG.minus(SHORT));
      assertThat(one).isNotDone();
      assertThat(other).isNotDone();
    }

    @Test
    void keeps_the_place_in_the_queue_of_the_store() {
      var one = lock.async().tryAcquire(SHORT);
      var other = lock.async().tryAcquire(LONG);
      time.advance(LONG.dividedBy(2));
      assertThat(one).isCompletedWithValue(Optional.empty());
      assertThat(other).isNotDone();
      assertThat(holders()).hasSizeGreaterThan(2).containsOnly(holders().get(0));
      assertThat(store.releases).isEmpty();
    }

    @Test
    void is_stood_for_until_its_deadline_though_another_one_is_before_it() {
      CompletableFuture<Acquisition> answer = store.nextLater();
      var first = lock.async().acquire(LONG);
      var second = lock.async().acquire(SHORT);
      var third = lock.async().acquire(LONG.multipliedBy(10));
      answer.complete(store.grant(Duration.ZERO));
      time.advance(Duration.ZERO);
      assertThat(first).isCompleted();
      assertThat(second).isNotDone();
      assertThat(third).isNotDone();
      assertThat(store.requests.get(1).patience()).isEqualTo(LONG.multipliedBy(10));
    }

    @Test
    void that_leaves_first_keeps_nothing_in_the_store_when_the_others_have_left_too() {
      var one = lock.async().tryAcquire(SHORT);
      lock.async().tryAcquire(LONG).cancel(false);
      assertThat(store.releases).isEmpty();
      time.advance(SHORT.plusMillis(200));
      assertThat(one).isCompletedWithValue(Optional.empty());
      assertThat(store.releases).hasSize(1);
      assertThat(Inside.leftOver(holdfast)).isEmpty();
    }
  }

  @Nested
  class AWaiterWhoseTimeIsUp {
    @Test
    void is_told_of_the_failure_though_a_longer_wait_goes_on() {
      failAll(100, Outcome.UNKNOWN);
      var one = lock.async().tryAcquire(SHORT);
      var other = lock.async().tryAcquire(LONG);
      time.advance(SHORT.plusMillis(200));
      assertOutcome(one, Outcome.UNKNOWN);
      assertThat(other).isNotDone();
    }

    @Test
    void is_told_of_an_unknown_outcome_if_an_earlier_request_may_have_had_an_effect() {
      failAll(1, Outcome.UNKNOWN);
      failAll(100, Outcome.NOT_APPLIED);
      var asked = lock.async().tryAcquire(SHORT);
      time.advance(SHORT.plusMillis(200));
      assertOutcome(asked, Outcome.UNKNOWN);
    }

    @Test
    void is_told_that_nothing_happened_if_the_store_has_answered_since() {
      failAll(1, Outcome.UNKNOWN);
      store.next(new Acquisition.Held(Duration.ofMillis(100)));
      failAll(100, Outcome.NOT_APPLIED);
      var asked = lock.async().tryAcquire(SHORT);
      time.advance(SHORT.plusMillis(200));
      assertOutcome(asked, Outcome.NOT_APPLIED);
    }

    @Test
    void is_granted_what_a_request_brings_that_is_answered_a_moment_later() {
      CompletableFuture<Acquisition> answer = store.nextLater();
      CompletableFuture<Lease> asked = lock.async().acquire(SHORT);
      time.advance(SHORT.plusMillis(50));
      assertThat(asked).isNotDone();
      answer.complete(store.grant(SHORT));
      assertThat(asked.join().isHeld()).isTrue();
    }
  }

  @Test
  void one_that_does_not_wait_for_others_waits_for_the_answer_of_the_store() {
    CompletableFuture<Acquisition> answer = store.nextLater();
    CompletableFuture<Optional<Lease>> asked = lock.async().tryAcquire();
    time.advance(Duration.ofMillis(4_900));
    assertThat(asked).isNotDone();
    answer.complete(store.grant(Duration.ofSeconds(4)));
    assertThat(asked.join()).isPresent();
  }

  @Test
  void what_is_granted_when_no_waiter_is_left_is_given_back() {
    store.next(store.grant(Duration.ZERO));
    Lease lease = lock.async().acquire(LONG).join();
    lock.async().acquire(LONG).cancel(false);
    store.core().granted(holders().get(1), store.grant(Duration.ZERO));
    time.advance(Duration.ZERO);
    assertThat(store.releases)
        .singleElement()
        .satisfies(hold -> assertThat(hold.holder()).isEqualTo(holders().get(1)));
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_reader_that_has_left_is_not_the_one_that_a_word_from_the_store_is_for() {
    lock.shared().async().acquire(LONG).cancel(false);
    var waits = lock.shared().async().acquire(LONG);
    var behind = lock.shared().async().acquire(LONG);
    store.core().retry("n");
    time.advance(Duration.ZERO);
    assertThat(waits).isNotDone();
    assertThat(behind).isNotDone();
    assertThat(holders()).hasSize(4);
    assertThat(holders().get(3)).isEqualTo(holders().get(1));
  }

  @Test
  void nothing_is_left_of_a_lease_that_was_handed_over_and_released() {
    CompletableFuture<Lease> asked = lock.async().acquire(LONG);
    store.core().granted(holders().get(0), store.grant(Duration.ZERO));
    assertThat(asked.join().release()).isTrue();
    assertThat(Inside.leftOver(holdfast)).isEmpty();
  }
}
