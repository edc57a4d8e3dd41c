// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.internal.Inside;
import io.holdfast.spi.LockBackend.Acquisition;
import io.holdfast.testkit.ManualTime;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A store that does not answer, or that answers threads which wait for it. */
class SilentStoreTest {
  private static final Duration WAIT = Duration.ofMinutes(1);
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private final ManualTime time = new ManualTime();
  private final ScriptedStore store = new ScriptedStore();
  private final Holdfast holdfast =
      Holdfast.builder(store).time(time).callbacks(Runnable::run).shutdownHook(false).build();
  private final DistributedLock lock = holdfast.lock("n");

  /** A thread that waits, or that has ended and waited for nothing. */
  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != State.WAITING && thread.getState() != State.TERMINATED) {
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
    assertThat(thread.getState()).isEqualTo(State.WAITING);
  }

  private static void awaitEnd(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(thread.isAlive()).isFalse();
  }

  private Lease granted() {
    store.next(store.grant(Duration.ZERO));
    return lock.tryAcquire().orElseThrow();
  }

  @Test
  void fails_a_request_after_a_while_and_its_outcome_is_unknown() {
    Lease lease = granted();
    CompletableFuture<Boolean> late = store.releasedLater();
    CompletableFuture<Boolean> released = lock.async().release(lease);
    time.advance(SILENCE.minusMillis(1));
    assertThat(released).isNotDone();
    time.advance(Duration.ofMillis(1));
    assertThat(released).isDone();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(released::join)
        .havingCause()
        .isInstanceOfSatisfying(
            BackendException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN));
    late.complete(true);
  }

  @Test
  void is_not_watched_any_more_when_it_has_answered() {
    Lease lease = granted();
    CompletableFuture<Boolean> answer = store.releasedLater();
    CompletableFuture<Boolean> released = lock.async().release(lease);
    answer.complete(true);
    assertThat(released).isCompletedWithValue(true);
    assertThat(Inside.leftOver(holdfast)).isEmpty();
  }

  @Test
  void keeps_closing_waiting_for_what_it_may_yet_grant() throws Exception {
    CompletableFuture<Acquisition> answer = store.nextLater();
    CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
    Thread closes = new Thread(holdfast::close);
    closes.start();
    awaitWaiting(closes);
    assertThat(asked).isCompletedExceptionally();
    assertThat(store.releases).hasSize(1);
    answer.complete(store.grant(Duration.ZERO));
    awaitEnd(closes);
    assertThat(store.releases).as("of what was granted after the first release").hasSize(2);
  }

  @Test
  void keeps_closing_waiting_for_a_while_only() throws Exception {
    CompletableFuture<Acquisition> never = store.nextLater();
    CompletableFuture<Lease> asked = lock.async().acquire(WAIT);
    Thread closes = new Thread(holdfast::close);
    closes.start();
    awaitWaiting(closes);
    assertThat(asked).isCompletedExceptionally();
    time.advance(SILENCE);
    awaitEnd(closes);
    assertThat(never).isNotDone();
  }

  @Test
  void does_not_make_a_thread_forget_that_it_was_interrupted() throws Exception {
    CompletableFuture<Acquisition> answer = store.nextLater();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread asks =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              boolean isGranted = lock.tryAcquire().isPresent();
              interrupted.complete(isGranted && Thread.interrupted());
            });
    asks.start();
    awaitWaiting(asks);
    answer.complete(store.grant(Duration.ZERO));
    assertThat(interrupted.get(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void is_not_asked_for_anything_after_closing() {
    Lease lease = granted();
    store.releasedLater().completeExceptionally(BackendException.unknown("on purpose", null));
    lease.close();
    holdfast.close();
    int releases = store.releases.size();
    time.advance(Duration.ofMinutes(5));
    assertThat(store.releases).hasSize(releases);
    assertThat(time.pending()).isZero();
  }
}
