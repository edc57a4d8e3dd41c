// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AsyncLockTest {
  private static final Duration WAIT = Duration.ofMinutes(5);

  private final ManualTime time = new ManualTime();
  private final Holdfast holdfast =
      Holdfast.builder("memory:")
          .time(time)
          .callbacks(Runnable::run)
          .shutdownHook(false)
          .localPasses(8, Duration.ofMinutes(10))
          .build();
  private final DistributedLock lock = holdfast.lock("a");
  private final List<Lease> begun = new ArrayList<>();

  @AfterEach
  void close() {
    holdfast.close();
  }

  /** What a user may do to a future that has not been answered yet. */
  static Stream<Arguments> waysToEndAFuture() {
    return Stream.of(
        Arguments.of("cancel", (Consumer<CompletableFuture<?>>) future -> future.cancel(true)),
        Arguments.of("complete", (Consumer<CompletableFuture<?>>) future -> future.complete(null)),
        Arguments.of(
            "time out, as orTimeout does",
            (Consumer<CompletableFuture<?>>)
                future -> future.completeExceptionally(new TimeoutException())));
  }

  @Nested
  class AFutureThatItsUserEnds {
    @ParameterizedTest(name = "{0}")
    @MethodSource("io.holdfast.runtime.AsyncLockTest#waysToEndAFuture")
    void leaves_the_queue(String way, Consumer<CompletableFuture<?>> end) {
      for (AsyncLock asked : new AsyncLock[] {lock.async(), lock.shared().async()}) {
        Lease held = lock.tryAcquire().orElseThrow();
        end.accept(asked.acquire(WAIT));
        end.accept(asked.tryAcquire(WAIT));
        end.accept(asked.call(WAIT, AsyncLockTest.this::begins));
        time.advance(Duration.ofSeconds(10));
        assertThat(lock.inspect().waiters()).as(way).isEmpty();
        held.release();
        time.advance(Duration.ofSeconds(1));
        assertThat(lock.inspect().isFree()).as(way).isTrue();
      }
    }

    @Test
    void gives_back_what_was_granted_before_its_callback_ran() {
      Callbacks later = new Callbacks();
      try (Holdfast slow =
          Holdfast.builder("memory:").time(time).callbacks(later).shutdownHook(false).build()) {
        CompletableFuture<Lease> acquire = slow.lock("a").async().acquire(WAIT);
        CompletableFuture<Optional<Lease>> tryAcquire = slow.lock("b").async().tryAcquire();
        CompletableFuture<String> call =
            slow.lock("c").async().call(WAIT, AsyncLockTest.this::begins);
        assertThat(slow.list("", 10)).hasSize(3);
        acquire.completeExceptionally(new TimeoutException());
        tryAcquire.complete(Optional.empty());
        call.cancel(false);
        later.run();
        time.advance(Duration.ofSeconds(1));
        assertThat(slow.list("", 10)).isEmpty();
        assertThat(begun).as("work whose result nobody wants").isEmpty();
      }
    }

    @Test
    void while_its_work_runs_is_released_when_the_work_is_done_and_not_before() {
      CompletableFuture<String> work = new CompletableFuture<>();
      CompletableFuture<String> result = lock.async().call(WAIT, lease -> work);
      result.cancel(true);
      time.advance(Duration.ofMinutes(2));
      assertThat(lock.inspect().isFree()).isFalse();
      work.complete("done");
      assertThat(lock.inspect().isFree()).isTrue();
    }
  }

  @Nested
  class AsynchronousWork {
    @Test
    void that_throws_an_error_fails_with_it_and_leaves_the_lock_free() {
      assertFailsAndFrees(
          lease -> {
            throw new AssertionError("on purpose");
          },
          AssertionError.class);
    }

    @Test
    void that_returns_no_stage_fails_and_leaves_the_lock_free() {
      assertFailsAndFrees(lease -> noStage(), NullPointerException.class);
    }

    @Test
    void that_is_cancelled_fails_and_leaves_the_lock_free() {
      CompletableFuture<String> work = new CompletableFuture<>();
      CompletableFuture<String> result = lock.async().call(WAIT, lease -> work);
      work.cancel(false);
      assertThat(result).isCancelled();
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void fails_with_its_own_exception_and_not_with_one_around_it() {
      CompletableFuture<String> work = new CompletableFuture<>();
      CompletableFuture<String> result =
          lock.async().call(WAIT, lease -> work.thenApply(String::trim));
      work.completeExceptionally(new IllegalStateException("on purpose"));
      CompletableFuture<Throwable> seen = new CompletableFuture<>();
      var unused = result.whenComplete((value, failure) -> seen.complete(failure));
      assertThat(seen.join()).isInstanceOf(IllegalStateException.class);
    }

    private void assertFailsAndFrees(
        Function<Lease, CompletionStage<String>> work, Class<? extends Throwable> failure) {
      CompletableFuture<String> result = lock.async().call(WAIT, work);
      assertThat(result).isDone();
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(result::join)
          .withCauseInstanceOf(failure);
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @SuppressWarnings("NullAway") // What a user may do whose code is not checked for it.
    private static CompletionStage<String> noStage() {
      @Nullable CompletionStage<String> none = null;
      return none;
    }
  }

  private CompletionStage<String> begins(Lease lease) {
    begun.add(lease);
    return CompletableFuture.completedFuture("done");
  }

  /** Runs tasks when it is told to. */
  private static final class Callbacks extends java.util.concurrent.ConcurrentLinkedQueue<Runnable>
      implements java.util.concurrent.Executor {
    private static final long serialVersionUID = 1L;

    @Override
    public void execute(Runnable task) {
      add(task);
    }

    void run() {
      for (Runnable task = poll(); task != null; task = poll()) {
        task.run();
      }
    }
  }
}
