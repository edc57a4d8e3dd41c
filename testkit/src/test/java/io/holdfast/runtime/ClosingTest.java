// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossCause;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.ForwardingBackend;
import java.io.IOException;
import java.lang.Thread.State;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClosingTest {
  private final String store = "memory:" + UUID.randomUUID();

  @Test
  void releases_what_is_held_and_says_so_to_the_leases() {
    Holdfast holdfast = Holdfast.builder(store).callbacks(Runnable::run).build();
    List<Lease> leases = new ArrayList<>();
    List<LossCause> told = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Lease lease = holdfast.lock("a" + i).tryAcquire().orElseThrow();
      lease.loss().thenAccept(told::add);
      leases.add(lease);
    }
    holdfast.close();
    assertThat(leases).noneMatch(Lease::isHeld);
    assertThat(told).hasSize(10).containsOnly(LossCause.CLOSED);
    try (Holdfast other = Holdfast.connect(store)) {
      assertThat(other.list("", 100)).isEmpty();
    }
  }

  @Test
  void ends_waits_at_once_with_a_failure_that_says_why() {
    Holdfast holdfast = Holdfast.connect(store);
    try (Holdfast other = Holdfast.connect(store)) {
      other.lock("a").tryAcquire();
      CompletableFuture<Lease> waits = holdfast.lock("a").async().acquire(Duration.ofMinutes(5));
      CompletableFuture<Lease> reads =
          holdfast.lock("a").shared().async().acquire(Duration.ofMinutes(5));
      holdfast.close();
      for (CompletableFuture<Lease> each : List.of(waits, reads)) {
        assertThatExceptionOfType(CompletionException.class)
            .isThrownBy(each::join)
            .withCauseInstanceOf(BackendException.class)
            .withMessageContaining("closed");
      }
      assertThat(other.inspect("a").waiters()).isEmpty();
    }
  }

  @Test
  void is_the_end_of_all_requests() {
    Holdfast holdfast = Holdfast.connect(store);
    holdfast.close();
    holdfast.close();
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> holdfast.lock("a").tryAcquire())
        .withMessageContaining("closed");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> holdfast.lock("a").inspect());
  }

  @Test
  void is_over_for_a_second_caller_when_it_is_over_for_the_first() throws Exception {
    CountDownLatch closing = new CountDownLatch(1);
    CountDownLatch mayClose = new CountDownLatch(1);
    Holdfast holdfast =
        Holdfast.builder(
                new ForwardingBackend(BackendProvider.backendAt(store)) {
                  @Override
                  public void close() {
                    closing.countDown();
                    awaitQuietly(mayClose);
                    super.close();
                  }
                })
            .shutdownHook(false)
            .build();
    Thread first = new Thread(holdfast::close);
    Thread second = new Thread(holdfast::close);
    first.start();
    assertThat(closing.await(1, TimeUnit.MINUTES)).isTrue();
    second.start();
    while (second.getState() != State.TIMED_WAITING && second.getState() != State.TERMINATED) {
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
    assertThat(second.isAlive()).isTrue();
    mayClose.countDown();
    second.join(TimeUnit.MINUTES.toMillis(1));
    first.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(second.isAlive()).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Test
  void returns_at_once_when_it_is_called_by_what_it_calls() {
    Holdfast holdfast =
        Holdfast.builder(store).callbacks(Runnable::run).shutdownHook(false).build();
    Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
    List<LossCause> told = new ArrayList<>();
    lease
        .loss()
        .thenAccept(
            cause -> {
              holdfast.close();
              told.add(cause);
            });
    holdfast.close();
    assertThat(told).containsExactly(LossCause.CLOSED);
  }

  @Test
  void leaves_no_thread_behind() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Holdfast holdfast = Holdfast.connect(store);
    holdfast.lock("a").async().acquire(Duration.ofSeconds(1)).join().release();
    holdfast.close();
    assertNoneLeftSince(before);
  }

  @Test
  void leaves_no_thread_behind_also_when_the_store_fails_to_close() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Holdfast holdfast =
        Holdfast.builder(
                new ForwardingBackend(BackendProvider.backendAt(store)) {
                  @Override
                  public void close() {
                    super.close();
                    throw new IllegalStateException("on purpose");
                  }
                })
            .build();
    holdfast.lock("a").async().acquire(Duration.ofSeconds(1)).join().release();
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(holdfast::close);
    assertNoneLeftSince(before);
  }

  @Test
  void leaves_nothing_behind_that_keeps_it_in_memory() {
    WeakReference<Holdfast> closed = closed();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (closed.get() != null) {
      assertThat(System.nanoTime()).as("kept by a shutdown hook or a thread").isLessThan(deadline);
      System.gc();
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  private WeakReference<Holdfast> closed() {
    Holdfast holdfast = Holdfast.connect(store);
    holdfast.close();
    return new WeakReference<>(holdfast);
  }

  private static void assertNoneLeftSince(Set<Thread> before) throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (!before.contains(thread) && thread.getName().startsWith("holdfast")) {
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
  }

  @Test
  void happens_by_itself_when_the_jvm_ends(@TempDir java.nio.file.Path directory)
      throws IOException, InterruptedException {
    String address = "file:" + directory;
    Process child =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Leaver.class.getName(),
                address)
            .inheritIO()
            .start();
    assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(child.exitValue()).isZero();
    try (Holdfast holdfast = Holdfast.connect(address)) {
      assertThat(holdfast.list("", 10)).isEmpty();
    }
  }

  /** Ends its JVM without closing anything. */
  static final class Leaver {
    private Leaver() {}

    public static void main(String[] arguments) {
      // Its lease is not released while the JVM ends: no need to wait for that.
      Holdfast holdfast =
          Holdfast.builder(arguments[0]).shutdownGrace(Duration.ofMillis(1)).build();
      Lease lease = holdfast.lock("a").tryAcquire().orElseThrow();
      System.exit(lease.isHeld() ? 0 : 1);
    }
  }
}
