// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.LossCause;
import io.holdfast.internal.Inside;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.spi.LockBackend.Renewal;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What follows from each answer and each signal of a store. */
class StoreAnswersTest {
  private static final Duration WAIT = Duration.ofMinutes(10);
  private static final Duration LEASE_TIME = Duration.ofSeconds(30);
  private static final Duration LEFT_OF_IT = Duration.ofMillis(29_700);
  private static final Acquisition HELD = new Acquisition.Held(Duration.ofHours(1));

  private final ManualTime time = new ManualTime();
  private final ScriptedStore store = new ScriptedStore();
  private final List<String> events = new ArrayList<>();
  private final Holdfast holdfast =
      Holdfast.builder(store)
          .time(time)
          .callbacks(Runnable::run)
          .leaseTime(LEASE_TIME)
          .pacing(Duration.ofMillis(20), Duration.ofSeconds(3))
          .listener(listener())
          .shutdownHook(false)
          .build();
  private final DistributedLock lock = holdfast.lock("n");

  private LockListener listener() {
    return new LockListener() {
      @Override
      public void released(Released event) {
        events.add("released after " + event.held());
      }

      @Override
      public void lost(Lost event) {
        events.add("lost: " + event.cause());
      }

      @Override
      public void rejected(Rejected event) {
        events.add("rejected: " + event.reason());
      }
    };
  }

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  private Lease granted() {
    store.next(store.grant(Duration.ZERO));
    return lock.tryAcquire().orElseThrow();
  }

  private Holder holderOf(int request) {
    return store.requests.get(request).hold().holder();
  }

  /** What a signal leads to is done as soon as the signal is over. */
  private void soon() {
    time.advance(Duration.ZERO);
  }

  @Nested
  class AnAnswer {
    @Test
    void that_the_lock_is_held_ends_a_request_that_does_not_wait_after_one_round_trip() {
      assertThat(lock.tryAcquire()).isEmpty();
      assertThat(store.requests).hasSize(1);
      assertThat(store.releases).isEmpty();
    }

    @Test
    void says_when_to_ask_again() {
      store.next(new Acquisition.Held(Duration.ofSeconds(2)));
      var unused = lock.async().acquire(WAIT);
      time.advance(Duration.ofMillis(1_999));
      assertThat(store.requests).hasSize(1);
      time.advance(Duration.ofMillis(201));
      assertThat(store.requests).hasSize(2);
    }

    @Test
    void clears_the_failures_before_it() {
      store.nextLater().completeExceptionally(BackendException.unknown("on purpose", null));
      CompletableFuture<Optional<Lease>> asked = lock.async().tryAcquire(Duration.ofSeconds(10));
      time.advance(Duration.ofSeconds(11));
      assertThat(asked).isCompletedWithValue(Optional.empty());
    }

    @Test
    void that_the_name_is_in_use_as_something_else_is_not_asked_for_again() {
      store.next(new Acquisition.Refused("a semaphore of 3 permits"));
      CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
      assertThat(asked).isCompletedExceptionally();
      time.advance(Duration.ofMinutes(1));
      assertThat(store.requests).hasSize(1);
    }

    @Test
    void that_comes_when_the_lease_has_run_out_is_no_grant_and_is_given_back() {
      store.next(store.grant(LEASE_TIME));
      assertThatThrownBy(lock::tryAcquire).hasMessageContaining("was over");
      assertThat(store.releases).hasSize(1);
    }

    @Test
    void that_is_slow_does_not_count_as_time_that_the_lock_was_held() {
      CompletableFuture<Acquisition> slow = store.nextLater();
      CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
      Acquisition.Granted grant = store.grant(Duration.ZERO);
      time.advance(Duration.ofSeconds(10));
      slow.complete(grant);
      time.advance(Duration.ofSeconds(5));
      assertThat(asked.join().release()).isTrue();
      assertThat(events).containsExactly("released after PT5S");
    }

    @Test
    void that_never_comes_but_as_a_failure_is_asked_for_less_and_less_often() {
      for (int i = 0; i < 1_000; i++) {
        store.nextLater().completeExceptionally(BackendException.notApplied("on purpose", null));
      }
      var unused = lock.async().acquire(WAIT);
      time.advance(Duration.ofMinutes(1));
      assertThat(store.requests).hasSizeBetween(20, 60);
    }
  }

  @Test
  void a_wait_that_closing_ends_is_told_of_as_closed() {
    var unused = lock.async().acquire(WAIT);
    holdfast.close();
    assertThat(events).containsExactly("rejected: CLOSED");
  }

  @Nested
  class AWordThatSomethingChanged {
    @Test
    void makes_a_waiter_ask_before_its_time_but_not_within_the_signal() {
      var unused = lock.async().acquire(WAIT);
      store.core().retry("n");
      assertThat(store.requests).hasSize(1);
      soon();
      assertThat(store.requests).hasSize(2);
    }

    @Test
    void during_a_request_makes_it_ask_again_at_once() {
      store.next(HELD);
      CompletableFuture<Acquisition> second = store.nextLater();
      var unused = lock.async().acquire(WAIT);
      store.core().retry("n");
      soon();
      assertThat(store.requests).hasSize(2);
      store.core().retry("n");
      soon();
      assertThat(store.requests).as("one request at a time").hasSize(2);
      second.complete(HELD);
      soon();
      assertThat(store.requests).hasSize(3);
    }

    @Test
    void makes_the_first_of_several_readers_ask_and_the_next_one_if_that_is_granted() {
      CompletableFuture<Lease> first = lock.shared().async().acquire(WAIT);
      CompletableFuture<Lease> second = lock.shared().async().acquire(WAIT);
      store.next(store.grant(Duration.ZERO));
      store.core().retry("n");
      soon();
      assertThat(first).isCompleted();
      assertThat(second).isNotDone();
      assertThat(store.requests).hasSize(4);
      assertThat(holderOf(2)).isEqualTo(holderOf(0));
      assertThat(holderOf(3)).isEqualTo(holderOf(1));
    }

    @Test
    void makes_no_writer_ask_behind_one_that_is_granted() {
      CompletableFuture<Lease> first = lock.async().acquire(WAIT);
      CompletableFuture<Lease> second =
          lock.withLeaseTime(LEASE_TIME.plusSeconds(1)).async().acquire(WAIT);
      assertThat(store.requests).as("writers that stand in the store").hasSize(2);
      store.next(store.grant(Duration.ZERO));
      store.core().retry("n");
      soon();
      assertThat(first).isCompleted();
      assertThat(second).isNotDone();
      assertThat(store.requests).hasSize(3);
    }

    @Test
    void is_ignored_when_the_last_waiter_has_left() {
      lock.async().acquire(WAIT).cancel(false);
      store.core().retry("n");
      soon();
      assertThat(store.requests).hasSize(1);
    }
  }

  @Nested
  class AHandOver {
    @Test
    void needs_no_further_request() {
      CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
      store.core().granted(holderOf(0), store.grant(Duration.ofSeconds(14)));
      assertThat(asked).isCompleted();
      assertThat(store.requests).hasSize(1);
    }

    @Test
    void of_which_more_than_half_is_gone_is_asked_for_once_more_which_extends_it() {
      CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
      store.core().granted(holderOf(0), store.grant(Duration.ofSeconds(16)));
      assertThat(asked).isNotDone();
      store.next(store.grant(Duration.ZERO));
      soon();
      assertThat(holderOf(1)).isEqualTo(holderOf(0));
      assertThat(asked.join().remaining()).isEqualTo(LEFT_OF_IT);
    }
  }

  @Nested
  class AWordThatAHoldIsLost {
    @Test
    void makes_a_waiter_ask_anew() {
      var unused = lock.async().acquire(WAIT);
      store.core().lost(holderOf(0), LossCause.GONE);
      soon();
      assertThat(store.requests).hasSize(2);
    }

    @Test
    void ends_the_lease_without_a_release_of_what_the_store_does_not_keep() {
      Lease lease = granted();
      store.core().lost(holderOf(0), LossCause.TAKEN);
      assertThat(lease.isHeld()).isFalse();
      assertThat(Inside.leftOver(holdfast)).isEmpty();
      soon();
      assertThat(events).containsExactly("lost: TAKEN");
      assertThat(store.releases).isEmpty();
    }

    @Test
    void does_not_ask_the_store_for_anything_within_the_signal() {
      store.next(store.grant(Duration.ZERO));
      Lease lease = lock.async().acquire(WAIT).join();
      // It stands in the store for those to come, until the hold is over.
      lock.async().acquire(WAIT).cancel(false);
      assertThat(store.requests).hasSize(2);
      store.core().lost(holderOf(0), LossCause.GONE);
      assertThat(lease.isHeld()).isFalse();
      assertThat(store.releases).isEmpty();
      soon();
      assertThat(store.releases).hasSize(1);
      assertThat(Inside.leftOver(holdfast)).isEmpty();
    }
  }

  @Nested
  class ARenewalAtTheCallersWish {
    @Test
    void throws_if_the_store_says_that_the_lease_is_lost() {
      Lease lease = granted();
      store.renewal(Renewal.FORCED);
      assertThatExceptionOfType(io.holdfast.LeaseLostException.class)
          .isThrownBy(lease::renew)
          .satisfies(lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
    }

    @Test
    void throws_if_the_store_does_not_know_and_the_lease_goes_on() {
      Lease lease = granted();
      store.renewal(Renewal.UNKNOWN);
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(lease::renew)
          .satisfies(failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Nested
  class ARelease {
    @Test
    void of_what_the_store_does_not_keep_any_more_is_a_loss() {
      Lease lease = granted();
      store.releasedLater().complete(false);
      assertThat(lease.release()).isFalse();
      assertThat(lease.loss().toCompletableFuture()).isCompletedWithValue(LossCause.GONE);
      assertThat(events).containsExactly("lost: GONE");
    }

    @Test
    void that_is_asked_for_twice_is_one_request_with_one_answer() {
      Lease lease = granted();
      CompletableFuture<Boolean> answer = store.releasedLater();
      CompletableFuture<Boolean> first = lock.async().release(lease);
      CompletableFuture<Boolean> second = lock.async().release(lease);
      answer.complete(true);
      assertThat(first).isCompletedWithValue(true);
      assertThat(second).isCompletedWithValue(true);
      assertThat(store.releases).hasSize(1);
      assertThat(events).hasSize(1);
    }

    @Test
    void after_the_lease_has_run_out_by_the_wall_clock_says_that_it_was_not_held() {
      Lease lease = granted();
      time.suspend(LEASE_TIME);
      assertThat(lease.release()).isFalse();
      assertThat(events).containsExactly("lost: EXPIRED");
    }
  }
}
