// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseGroup;
import io.holdfast.LeaseLostException;
import io.holdfast.LockState;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseGroupTest {
  private final Holdfast holdfast =
      Holdfast.builder("memory:").callbacks(Runnable::run).shutdownHook(false).build();

  @AfterEach
  void close() {
    holdfast.close();
  }

  @Test
  void holds_all_of_its_locks_in_the_order_of_their_names() throws Exception {
    try (LeaseGroup group = holdfast.acquireAll(List.of("b", "a", "b"), Duration.ZERO)) {
      assertThat(group.leases()).extracting(Lease::name).containsExactly("a", "b");
      assertThat(group.isHeld()).isTrue();
      assertThat(group.lease("a").token()).isNotEqualTo(group.lease("b").token());
      assertThat(group.remaining()).isPositive();
      assertThatIllegalArgumentException().isThrownBy(() -> group.lease("c"));
    }
    assertThat(holdfast.list("", 10)).isEmpty();
  }

  @Test
  void holds_nothing_when_one_of_them_is_not_granted_in_time() {
    holdfast.lock("b").tryAcquire();
    assertThatExceptionOfType(LockTimeoutException.class)
        .isThrownBy(() -> holdfast.acquireAll(List.of("a", "b", "c"), Duration.ofMillis(20)))
        .withMessageContaining("'b'");
    assertThat(holdfast.inspect("a").isFree()).isTrue();
    assertThat(holdfast.inspect("c").isFree()).isTrue();
  }

  @Test
  void is_waited_for_until_one_deadline_that_its_locks_share() throws Exception {
    ManualTime time = new ManualTime();
    List<Duration> waits = new ArrayList<>();
    ForwardingBackend slow =
        new ForwardingBackend(BackendProvider.backendAt("memory:")) {
          @Override
          public CompletionStage<Acquisition> acquire(AcquireRequest request) {
            waits.add(request.patience());
            time.advance(Duration.ofSeconds(4));
            return super.acquire(request);
          }
        };
    try (Holdfast slowly =
            Holdfast.builder(slow).time(time).callbacks(Runnable::run).shutdownHook(false).build();
        LeaseGroup group = slowly.acquireAll(List.of("a", "b"), Duration.ofSeconds(10))) {
      assertThat(waits).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(6));
      assertThat(group.isHeld()).isTrue();
    }
  }

  @Test
  void is_lost_with_the_first_of_them() throws Exception {
    LeaseGroup group = holdfast.acquireAll(List.of("a", "b"), Duration.ZERO);
    List<LossCause> told = new ArrayList<>();
    group.loss().thenAccept(told::add);
    holdfast.forceRelease("b", group.lease("b").token(), "test");
    assertThat(told).containsExactly(LossCause.FORCED);
    assertThat(group.isHeld()).isFalse();
    assertThat(group.release()).isFalse();
    assertThat(holdfast.inspect("a").isFree()).isTrue();
  }

  @Test
  void is_not_returned_when_one_of_them_was_lost_while_the_others_were_acquired() {
    ForwardingBackend losesTheFirst =
        new ForwardingBackend(BackendProvider.backendAt("memory:")) {
          @Override
          public CompletionStage<Acquisition> acquire(AcquireRequest request) {
            if (request.hold().name().equals("b")) {
              super.inspect("a")
                  .thenAccept(state -> super.forceRelease("a", tokenOf(state), "test"));
            }
            return super.acquire(request);
          }
        };
    try (Holdfast losing =
        Holdfast.builder(losesTheFirst).callbacks(Runnable::run).shutdownHook(false).build()) {
      assertThatExceptionOfType(LeaseLostException.class)
          .isThrownBy(() -> losing.acquireAll(List.of("a", "b"), Duration.ZERO))
          .satisfies(lost -> assertThat(lost.name()).isEqualTo("a"))
          .satisfies(lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
      assertThat(losing.list("", 10)).isEmpty();
    }
  }

  private static long tokenOf(LockState state) {
    return state.holders().get(0).token().orElseThrow().value();
  }

  @Test
  void needs_at_least_one_lock() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> holdfast.acquireAll(List.of(), Duration.ZERO));
  }

  @Test
  void does_not_deadlock_with_a_group_that_names_the_same_locks_in_another_order()
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      List<String> names = i % 2 == 0 ? List.of("a", "b", "c") : List.of("c", "b", "a");
      done.add(
          threads.submit(
              () -> {
                for (int round = 0; round < 200; round++) {
                  holdfast.acquireAll(names, Duration.ofMinutes(1)).close();
                }
                return true;
              }));
    }
    for (Future<?> each : done) {
      assertThat(each.get(1, TimeUnit.MINUTES)).isEqualTo(true);
    }
    threads.shutdown();
  }
}
