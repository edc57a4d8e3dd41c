// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Guarantees;
import io.holdfast.Guarantees.Capability;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What no store is asked for, because it makes no sense. */
class RefusalsTest {
  private static final Duration NEGATIVE = Duration.ofMillis(-1);

  private final Holdfast holdfast =
      Holdfast.builder("memory:").callbacks(Runnable::run).shutdownHook(false).build();
  private final DistributedLock lock = holdfast.lock("n");

  @AfterEach
  void close() {
    holdfast.close();
  }

  @Test
  void a_wait_that_is_negative() {
    assertThatIllegalArgumentException().isThrownBy(() -> lock.tryAcquire(NEGATIVE));
    assertThatIllegalArgumentException().isThrownBy(() -> lock.async().tryAcquire(NEGATIVE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> holdfast.acquireAll(List.of("a"), NEGATIVE));
    Lease lease = lock.tryAcquire().orElseThrow();
    assertThatIllegalArgumentException().isThrownBy(() -> lease.ensureHeld(NEGATIVE));
  }

  @Test
  void but_a_java_lock_takes_it_for_no_wait() throws Exception {
    assertThat(lock.asJavaLock().tryLock(-1, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_group_of_no_locks() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> holdfast.acquireAll(List.of(), Duration.ZERO));
  }

  @Test
  void a_longest_hold_that_is_not_positive() {
    assertThatIllegalArgumentException().isThrownBy(() -> lock.withMaxHold(Duration.ZERO));
  }

  @Test
  void a_purpose_that_is_too_long() {
    assertThatIllegalArgumentException().isThrownBy(() -> lock.withPurpose("x".repeat(10_000)));
  }

  @Test
  void a_list_of_nothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> holdfast.list("", 0));
  }

  @Test
  void a_release_by_force_without_a_reason() {
    Lease lease = lock.tryAcquire().orElseThrow();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> holdfast.forceRelease("n", lease.token(), " "));
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void a_shared_mode_of_a_semaphore() {
    DistributedLock semaphore = holdfast.semaphore("s", 3);
    assertThatIllegalArgumentException().isThrownBy(semaphore::shared);
  }

  @Test
  void what_the_backend_does_not_claim() {
    try (Holdfast plain = Holdfast.builder(new ExclusiveOnly()).shutdownHook(false).build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plain.semaphore("s", 3))
          .withMessageContaining("no semaphores");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plain.lock("n").shared())
          .withMessageContaining("no shared locks");
      assertThat(plain.lock("n").tryAcquire()).isPresent();
    }
  }

  @Test
  void a_wait_of_a_thread_that_was_interrupted_before() {
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> lock.acquire(Duration.ofMinutes(1)));
    assertThat(holdfast.inspect("n").isFree()).isTrue();
  }

  private static final class ExclusiveOnly extends ForwardingBackend {
    ExclusiveOnly() {
      super(BackendProvider.backendAt("memory:"));
    }

    @Override
    public Guarantees guarantees() {
      Guarantees all = super.guarantees();
      Set<Capability> claimed = EnumSet.copyOf(all.capabilities());
      claimed.removeAll(Set.of(Capability.SHARED, Capability.PERMITS));
      return new Guarantees(
          all.backend(),
          all.exclusion(),
          all.oneHolderIf(),
          all.twoHoldersWhen(),
          all.tokenNeverGoesBackIf(),
          all.survives(),
          claimed,
          all.shortestLeaseTime(),
          all.longestLeaseTime());
    }
  }
}
