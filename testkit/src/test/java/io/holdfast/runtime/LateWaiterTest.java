// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.AsyncLock;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A waiter that comes while the attempt which is to stand for it has not begun yet. */
class LateWaiterTest {
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final String store = "memory:" + UUID.randomUUID();
  private final List<Runnable> duringAcquire = new ArrayList<>();
  private final List<Runnable> answersOnTheirWay = new ArrayList<>();
  private final Holdfast here =
      Holdfast.builder(new Hooked())
          .time(time)
          .callbacks(Runnable::run)
          .localPasses(1, Duration.ofSeconds(1))
          .shutdownHook(false)
          .build();
  private final Holdfast elsewhere =
      Holdfast.builder(store).time(time).callbacks(Runnable::run).shutdownHook(false).build();
  private final AsyncLock lock = here.lock("hot").async();

  /** Does something after the store has carried out an acquire, whose answer then is late. */
  private final class Hooked extends ForwardingBackend {
    Hooked() {
      super(BackendProvider.backendAt(store));
    }

    @Override
    public CompletionStage<Acquisition> acquire(AcquireRequest request) {
      CompletionStage<Acquisition> answer = super.acquire(request);
      if (duringAcquire.isEmpty()) {
        return answer;
      }
      List<Runnable> now = List.copyOf(duringAcquire);
      duringAcquire.clear();
      now.forEach(Runnable::run);
      CompletableFuture<Acquisition> late = new CompletableFuture<>();
      answersOnTheirWay.add(() -> answer.thenAccept(late::complete));
      return late;
    }
  }

  @AfterEach
  void close() {
    here.close();
    elsewhere.close();
  }

  @Test
  void is_served_by_the_signal_that_overtakes_the_answer() throws Exception {
    Lease first = elsewhere.lock("hot").acquire(WAIT);
    CompletableFuture<Lease> second = lock.acquire(WAIT);
    CompletableFuture<Lease> third = lock.acquire(WAIT);
    List<CompletableFuture<Lease>> late = new ArrayList<>();
    // Just when the next attempt was made for the third; the longer wait is told to that attempt.
    var unused = second.thenAccept(served -> late.add(lock.acquire(WAIT.multipliedBy(2))));
    first.release();
    assertThat(late).hasSize(1);
    duringAcquire.add(
        () -> {
          second.join().release();
          third.join().release();
        });
    time.advance(Duration.ofMillis(1));
    answersOnTheirWay.forEach(Runnable::run);
    assertThat(late.get(0)).isCompleted();
  }
}
