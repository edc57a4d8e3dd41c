// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.BackendException;
import io.holdfast.Lease;
import io.holdfast.LeaseGroup;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several leases, acquired one after the other in the order of their names. */
final class AcquiredTogether implements LeaseGroup {
  private final List<Lease> leases;
  private final CompletableFuture<LossCause> loss = new CompletableFuture<>();

  private AcquiredTogether(List<Lease> leases) {
    this.leases = List.copyOf(leases);
    this.leases.forEach(lease -> lease.loss().thenAccept(loss::complete));
  }

  static LeaseGroup acquire(
      LockRuntime runtime,
      Function<String, LockView> locks,
      Collection<String> names,
      Duration wait)
      throws InterruptedException {
    if (names.isEmpty()) {
      throw new IllegalArgumentException("there is at least one lock to acquire");
    }
    Times.notNegative(wait, "the wait");
    List<LockView> inOrder = new TreeSet<>(names).stream().map(locks).toList();
    long deadline = runtime.now().monotonicNanos() + Times.nanos(wait);
    List<Lease> granted = new ArrayList<>();
    try {
      for (LockView lock : inOrder) {
        long left = Math.max(0, deadline - runtime.now().monotonicNanos());
        Optional<Lease> lease = lock.tryAcquire(Duration.ofNanos(left));
        granted.add(lease.orElseThrow(() -> new LockTimeoutException(lock.name(), wait)));
      }
      requireHeld(granted);
      return new AcquiredTogether(granted);
    } catch (InterruptedException | RuntimeException failed) {
      Collections.reverse(granted);
      granted.forEach(Lease::close);
      throw failed;
    }
  }

  /** The first ones may have been lost while the others were waited for. */
  private static void requireHeld(List<Lease> granted) {
    for (Lease lease : granted) {
      if (!lease.isHeld()) {
        throw ((RenewingLease) lease).lostException();
      }
    }
  }

  @Override
  public List<Lease> leases() {
    return leases;
  }

  @Override
  public Lease lease(String name) {
    return leases.stream()
        .filter(lease -> lease.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("lock '" + name + "' is not in this group"));
  }

  @Override
  public Duration remaining() {
    return leases.stream().map(Lease::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
  }

  @Override
  public boolean isHeld() {
    return leases.stream().allMatch(Lease::isHeld);
  }

  @Override
  public CompletionStage<LossCause> loss() {
    return loss.minimalCompletionStage();
  }

  @Override
  public boolean release() {
    boolean allHeld = true;
    @Nullable BackendException problem = null;
    for (int i = leases.size() - 1; i >= 0; i--) {
      try {
        allHeld &= leases.get(i).release();
      } catch (BackendException unconfirmed) {
        problem = unconfirmed;
      }
    }
    if (problem != null) {
      throw problem;
    }
    return allHeld;
  }

  @Override
  public void close() {
    for (int i = leases.size() - 1; i >= 0; i--) {
      leases.get(i).close();
    }
  }
}
