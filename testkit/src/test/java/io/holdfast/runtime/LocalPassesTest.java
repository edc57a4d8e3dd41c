// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.FaultyBackend;
import io.holdfast.testkit.FaultyBackend.Verb;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LocalPassesTest {
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final String store = "memory:" + UUID.randomUUID();
  private final FaultyBackend backend = new FaultyBackend(BackendProvider.backendAt(store));
  private final Holdfast here =
      Holdfast.builder(backend)
          .time(time)
          .callbacks(Runnable::run)
          .localPasses(3, Duration.ofMillis(100))
          .shutdownHook(false)
          .build();
  private final Holdfast elsewhere =
      Holdfast.builder(store).time(time).callbacks(Runnable::run).shutdownHook(false).build();
  private final DistributedLock lock = here.lock("hot");

  @AfterEach
  void close() {
    here.close();
    elsewhere.close();
  }

  @Nested
  class APass {
    @Test
    void serves_the_next_local_waiter_without_the_store_and_with_its_own_token() throws Exception {
      Lease first = lock.acquire(WAIT);
      List<CompletableFuture<Lease>> waiters = queueUp(2);
      time.advance(Duration.ofMillis(1));
      int requests = backend.calls(Verb.ACQUIRE) + backend.calls(Verb.RELEASE);
      first.release();
      Lease second = served(waiters.get(0));
      second.release();
      Lease third = served(waiters.get(1));
      assertThat(backend.calls(Verb.ACQUIRE) + backend.calls(Verb.RELEASE)).isEqualTo(requests);
      assertThat(second.token().isNewerThan(first.token())).isTrue();
      assertThat(third.token().isNewerThan(second.token())).isTrue();
      assertThat(second.holder()).isNotEqualTo(first.holder());
      assertThat(first.isHeld()).isFalse();
      assertThat(third.isHeld()).isTrue();
    }

    @Test
    void is_not_undone_by_a_second_release_of_the_lease_before() throws Exception {
      Lease first = lock.acquire(WAIT);
      CompletableFuture<Lease> waiter = queueUp(1).get(0);
      first.release();
      assertThat(first.release()).isTrue();
      assertThat(served(waiter).isHeld()).isTrue();
      assertThat(elsewhere.lock("hot").tryAcquire()).isEmpty();
    }

    @Test
    void is_not_made_when_the_lease_had_run_out() throws Exception {
      Lease first = lock.withoutRenewal().acquire(WAIT);
      CompletableFuture<Lease> waiter = queueUp(1).get(0);
      time.advance(Duration.ofSeconds(31));
      assertThat(first.release()).isFalse();
      time.advance(Duration.ofSeconds(4));
      assertThat(served(waiter).token().isNewerThan(first.token())).isTrue();
    }

    @Test
    void is_not_made_while_renewals_fail() throws Exception {
      FaultyBackend faulty = new FaultyBackend(BackendProvider.backendAt(store));
      // The bound by time must not be what refuses the pass.
      try (Holdfast patient =
          Holdfast.builder(faulty)
              .time(time)
              .callbacks(Runnable::run)
              .localPasses(3, WAIT)
              .shutdownHook(false)
              .build()) {
        Lease first = patient.lock("hot").acquire(WAIT);
        var unused = patient.lock("hot").async().acquire(WAIT);
        faulty.every(Verb.RENEW).fail(BackendException.Outcome.UNKNOWN);
        time.advance(Duration.ofSeconds(20));
        int releases = faulty.calls(Verb.RELEASE);
        assertThat(first.release()).isTrue();
        assertThat(faulty.calls(Verb.RELEASE)).isGreaterThan(releases);
      }
    }
  }

  @Nested
  class Bounds {
    @Test
    void by_count_give_other_processes_their_turn() throws Exception {
      Lease current = lock.acquire(WAIT);
      List<CompletableFuture<Lease>> mine = queueUp(10);
      CompletableFuture<Lease> theirs = elsewhere.lock("hot").async().acquire(WAIT);
      List<String> order = new ArrayList<>();
      int next = 0;
      for (int turn = 0; turn < 11; turn++) {
        time.advance(Duration.ofMillis(1));
        current.release();
        time.advance(Duration.ofMillis(1));
        if (theirs.isDone() && !order.contains("theirs")) {
          current = served(theirs);
          order.add("theirs");
        } else {
          assertThat(mine.get(next)).isDone();
          current = served(mine.get(next++));
          order.add("mine");
        }
      }
      // Three passes of the first hold, then one of ours that stood before them, with its passes.
      assertThat(order.indexOf("theirs")).isBetween(3, 7);
      assertThat(next).isEqualTo(10);
      current.release();
    }

    @Test
    void by_time_give_other_processes_their_turn() throws Exception {
      Lease first = lock.acquire(WAIT);
      queueUp(1);
      time.advance(Duration.ofMillis(101));
      int releases = backend.calls(Verb.RELEASE);
      first.release();
      assertThat(backend.calls(Verb.RELEASE)).isGreaterThan(releases);
    }
  }

  @Nested
  class ALotOfLocalWaiters {
    @Test
    void are_one_waiter_in_the_store() throws Exception {
      Lease first = lock.acquire(WAIT);
      List<CompletableFuture<Lease>> waiters = queueUp(100);
      assertThat(lock.inspect().waiters()).hasSize(1);
      first.release();
      served(waiters.get(0)).release();
      waiters.forEach(waiter -> waiter.cancel(false));
      served(waiters.get(1)).release();
      time.advance(Duration.ofSeconds(1));
      assertThat(lock.inspect().isFree()).isTrue();
      assertThat(lock.inspect().waiters()).isEmpty();
    }

    @Test
    void leave_one_by_one_when_their_time_is_up() throws Exception {
      Lease first = lock.acquire(WAIT);
      CompletableFuture<Lease> impatient = lock.async().acquire(Duration.ofSeconds(1));
      CompletableFuture<Lease> patient = lock.async().acquire(Duration.ofSeconds(10));
      time.advance(Duration.ofSeconds(1));
      assertThat(impatient).isCompletedExceptionally();
      assertThat(patient).isNotDone();
      first.release();
      assertThat(served(patient).isHeld()).isTrue();
    }
  }

  /** Time stands still here: what is not there by now would never come. */
  private static Lease served(CompletableFuture<Lease> waiter) {
    assertThat(waiter).isCompleted();
    return waiter.join();
  }

  private List<CompletableFuture<Lease>> queueUp(int count) {
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      waiters.add(lock.async().acquire(WAIT));
    }
    return waiters;
  }
}
