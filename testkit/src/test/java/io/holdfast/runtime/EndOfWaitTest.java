// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.AsyncLock;
import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockState;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.FaultyBackend;
import io.holdfast.testkit.FaultyBackend.Verb;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What is said when a wait ends without a lease, while requests to the store are disturbed. */
class EndOfWaitTest {
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final String address = "memory:" + UUID.randomUUID();
  private final FaultyBackend store = new FaultyBackend(BackendProvider.backendAt(address));
  private final Holdfast here =
      Holdfast.builder(store).time(time).callbacks(Runnable::run).shutdownHook(false).build();
  private final Holdfast elsewhere =
      Holdfast.builder(address).time(time).callbacks(Runnable::run).shutdownHook(false).build();
  private final AsyncLock lock = here.lock("a").async();

  @AfterEach
  void close() {
    store.heal();
    here.close();
    elsewhere.close();
  }

  @Nested
  class AWaitWhoseTimeIsUp {
    @Test
    void fails_with_an_unknown_outcome_if_the_store_was_silent() {
      store.every(Verb.ACQUIRE).loseReply();
      CompletableFuture<Optional<Lease>> asked = lock.tryAcquire(SHORT);
      time.advance(SHORT.plusSeconds(1));
      assertUnknown(asked);
    }

    @Test
    void fails_with_an_unknown_outcome_though_a_longer_wait_of_its_process_goes_on() {
      store.every(Verb.ACQUIRE).loseReply();
      CompletableFuture<Optional<Lease>> asked = lock.tryAcquire(SHORT);
      CompletableFuture<Optional<Lease>> other = lock.tryAcquire(LONG);
      time.advance(SHORT.plusSeconds(1));
      assertUnknown(asked);
      assertThat(other).isNotDone();
    }

    @Test
    void is_empty_if_the_answer_comes_a_moment_later_while_a_longer_wait_goes_on() {
      assertThat(elsewhere.lock("a").tryAcquire()).isPresent();
      store.every(Verb.ACQUIRE).delayReply(SHORT.plusMillis(50));
      CompletableFuture<Optional<Lease>> asked = lock.tryAcquire(SHORT);
      CompletableFuture<Optional<Lease>> other = lock.tryAcquire(LONG);
      time.advance(SHORT.plusSeconds(1));
      assertThat(asked).isCompletedWithValue(Optional.empty());
      assertThat(other).isNotDone();
    }

    @Test
    void may_leave_a_hold_in_the_store_that_is_free_when_the_release_has_arrived() {
      Lease held = elsewhere.lock("a").tryAcquire().orElseThrow();
      CompletableFuture<Optional<Lease>> asked = lock.tryAcquire(SHORT);
      store.every(Verb.RELEASE).holdBack();
      time.advance(SHORT);
      assertThat(asked).isCompletedWithValue(Optional.empty());
      held.release();
      LockState disturbed = elsewhere.inspect("a");
      store.heal();
      time.advance(Duration.ZERO);
      assertThat(elsewhere.inspect("a").isFree()).as("after %s", disturbed).isTrue();
      assertThat(elsewhere.inspect("a").waiters()).isEmpty();
    }
  }

  @Nested
  class AnInterrupt {
    @Test
    void says_that_the_outcome_is_unknown_if_a_request_was_unanswered() throws Exception {
      store.every(Verb.ACQUIRE).loseReply();
      assertThat(interrupted(LONG).getSuppressed())
          .singleElement()
          .isInstanceOfSatisfying(
              BackendException.class,
              doubt -> assertThat(doubt.outcome()).isEqualTo(Outcome.UNKNOWN));
      time.advance(Duration.ZERO);
      assertThat(elsewhere.inspect("a").isFree()).isTrue();
    }

    @Test
    void says_that_the_outcome_is_unknown_if_the_last_request_failed_so() throws Exception {
      store.every(Verb.ACQUIRE).applyAndFail();
      assertThat(interrupted(LONG).getSuppressed()).hasSize(1);
    }

    @Test
    void says_nothing_more_if_the_store_has_answered() throws Exception {
      assertThat(elsewhere.lock("a").tryAcquire()).isPresent();
      assertThat(interrupted(LONG).getSuppressed()).isEmpty();
      assertThat(elsewhere.inspect("a").waiters()).isEmpty();
    }
  }

  /** Interrupts a thread that waits for the lock after it has asked for it. */
  private InterruptedException interrupted(Duration wait) throws Exception {
    CompletableFuture<InterruptedException> thrown = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                here.lock("a").acquire(wait);
              } catch (InterruptedException expected) {
                thrown.complete(expected);
              } catch (Throwable other) {
                thrown.completeExceptionally(other);
              }
            });
    waiter.start();
    while (store.calls(Verb.ACQUIRE) == 0 || waiter.getState() != Thread.State.WAITING) {
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
    waiter.interrupt();
    return thrown.get(30, TimeUnit.SECONDS);
  }

  private static void assertUnknown(CompletableFuture<?> asked) {
    assertThat(asked).isDone();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(asked::join)
        .havingCause()
        .isInstanceOfSatisfying(
            BackendException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
  }
}
