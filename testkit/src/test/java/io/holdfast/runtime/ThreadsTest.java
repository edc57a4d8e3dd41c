// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.BackendException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final Holdfast holdfast = Holdfast.builder("memory:").shutdownHook(false).build();
  private final DistributedLock lock = holdfast.lock("a");

  @AfterEach
  void close() {
    holdfast.close();
  }

  @Nested
  class Ownership {
    @Test
    void is_by_handle_so_another_thread_may_release() throws Exception {
      Lease lease = lock.acquire(WAIT);
      assertThat(CompletableFuture.supplyAsync(lease::release).get()).isTrue();
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void excludes_a_second_request_of_the_same_thread() throws Exception {
      Lease held = lock.acquire(WAIT);
      assertThat(lock.tryAcquire()).isEmpty();
      assertThatExceptionOfType(LockTimeoutException.class)
          .isThrownBy(() -> lock.acquire(Duration.ofMillis(10)));
      assertThat(held.release()).isTrue();
    }
  }

  @Nested
  class Work {
    @Test
    void under_a_lock_returns_its_result_and_leaves_the_lock_free() throws Exception {
      String result = lock.call(WAIT, lease -> "with " + lease.name());
      assertThat(result).isEqualTo("with a");
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void that_fails_leaves_the_lock_free_and_throws_what_it_threw() {
      assertThatExceptionOfType(java.io.IOException.class)
          .isThrownBy(
              () ->
                  lock.run(
                      WAIT,
                      lease -> {
                        throw new java.io.IOException("on purpose");
                      }));
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void whose_lease_was_lost_meanwhile_is_told() {
      assertThatExceptionOfType(LeaseLostException.class)
          .isThrownBy(
              () -> lock.run(WAIT, lease -> holdfast.forceRelease("a", lease.token(), "test")));
    }

    @Test
    void that_is_asynchronous_is_released_when_its_stage_is_done() throws Exception {
      CompletableFuture<String> stage = new CompletableFuture<>();
      CompletableFuture<String> result = lock.async().call(WAIT, lease -> stage);
      CompletableFuture<String> failing =
          lock.async()
              .call(WAIT, lease -> CompletableFuture.failedFuture(new IllegalStateException("x")));
      stage.complete("done");
      assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> failing.get(30, TimeUnit.SECONDS))
          .withCauseInstanceOf(IllegalStateException.class);
      lock.acquire(WAIT).release();
      assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void that_is_asynchronous_and_lost_its_lease_is_told() {
      CompletableFuture<Boolean> result =
          lock.async()
              .call(
                  WAIT,
                  lease ->
                      CompletableFuture.supplyAsync(
                          () -> holdfast.forceRelease("a", lease.token(), "test")));
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(result::join)
          .withCauseInstanceOf(LeaseLostException.class);
    }
  }

  @Nested
  class Interrupts {
    @Test
    void end_a_wait_and_leave_nothing_behind() throws Exception {
      Lease held = lock.acquire(WAIT);
      CountDownLatch ended = new CountDownLatch(1);
      Thread waiter =
          new Thread(
              () -> {
                try {
                  lock.acquire(WAIT);
                } catch (InterruptedException expected) {
                  ended.countDown();
                }
              });
      waiter.start();
      waiter.interrupt();
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      held.release();
      lock.acquire(WAIT).release();
      assertThat(lock.inspect().isFree()).isTrue();
      assertThat(lock.inspect().waiters()).isEmpty();
    }

    @Test
    void do_not_end_a_release() throws Exception {
      Lease held = lock.acquire(WAIT);
      Thread.currentThread().interrupt();
      assertThat(held.release()).isTrue();
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Nested
  class AnExecutorForCallbacks {
    @Test
    void that_refuses_keeps_nobody_waiting() {
      try (Holdfast refusing =
          Holdfast.builder("memory:")
              .callbacks(
                  task -> {
                    throw new RejectedExecutionException("on purpose");
                  })
              .build()) {
        assertThat(refusing.lock("a").async().acquire(WAIT).join().isHeld()).isTrue();
      }
    }
  }

  @Nested
  class VirtualThreads {
    @Test
    void take_turns_by_the_thousand() throws Exception {
      ExecutorService threads = virtualThreads();
      int[] counter = {0};
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        done.add(threads.submit(() -> lock.call(WAIT, lease -> counter[0]++)));
      }
      for (Future<?> each : done) {
        each.get(1, TimeUnit.MINUTES);
      }
      threads.shutdown();
      assertThat(counter[0]).isEqualTo(2_000);
    }

    private static ExecutorService virtualThreads() throws IllegalAccessException {
      try {
        return (ExecutorService)
            Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      } catch (NoSuchMethodException | InvocationTargetException older) {
        return Assumptions.abort(
            "could not run here: Java " + Runtime.version().feature() + " has no virtual threads");
      }
    }
  }

  @Nested
  class AStoreThatFails {
    @Test
    void fails_the_caller_with_what_is_known() {
      holdfast.close();
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> lock.tryAcquire(Duration.ofSeconds(5)))
          .satisfies(
              failure ->
                  assertThat(failure.outcome()).isEqualTo(BackendException.Outcome.NOT_APPLIED));
    }
  }
}
