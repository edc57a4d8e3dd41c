// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of locks when a JVM is told to end by {@code SIGTERM}. */
@Tag("file")
class ShutdownTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int TERMINATED = 128 + 15;

  @TempDir private Path directory;
  private Holdfast other;

  @BeforeEach
  void connect() {
    other = Holdfast.builder("file:" + directory).shutdownHook(false).build();
  }

  @AfterEach
  void close() {
    other.close();
  }

  @Nested
  class AHolderThatStillWorks {
    @Test
    void keeps_its_lock_until_it_has_released_it() throws Exception {
      try (ChildJvm child = child("work")) {
        until(child, "working");
        CompletableFuture<Lease> next = other.lock("a").async().acquire(LONG);
        child.terminate();
        until(child, "shutting down with 1");
        // Kept by renewals: that of a lease which began before is one of two.
        until(child, "renewed");
        until(child, "renewed");
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        assertThat(next).isNotDone();
        child.tell("done");
        assertThat(next.get(1, TimeUnit.MINUTES).isHeld()).isTrue();
        assertThat(child.exitCode()).isEqualTo(TERMINATED);
      }
    }

    @Test
    void is_granted_nothing_more() throws Exception {
      try (ChildJvm child = child("ask")) {
        until(child, "working");
        child.terminate();
        until(child, "shutting down with 1");
        child.tell("again");
        assertThat(until(child, "asked: ")).contains("closed");
        assertThat(other.inspect("b").isFree()).isTrue();
      }
    }

    @Test
    void is_told_of_its_loss_when_the_grace_is_over_and_before_another_holds_the_lock()
        throws Exception {
      try (ChildJvm child = child("work-on")) {
        until(child, "working");
        CompletableFuture<Long> next =
            other.lock("a").async().acquire(LONG).thenApply(lease -> System.nanoTime());
        child.terminate();
        until(child, "shutting down with 1");
        // The clock is the machine's, and so the same for both processes.
        long seenHeld = Long.parseLong(until(child, "held at ").replace("held at ", ""));
        assertThat(next.get(1, TimeUnit.MINUTES) - seenHeld).isPositive();
        until(child, "lost: CLOSED");
        assertThat(child.exitCode()).isEqualTo(TERMINATED);
      }
    }
  }

  @Nested
  class AProcessThatHoldsNothing {
    @Test
    void leaves_the_queue_and_ends_whatever_the_grace_is() throws Exception {
      try (Lease lease = other.lock("a").acquire(LONG);
          ChildJvm child = child("wait")) {
        until(child, "waiting");
        Await.until("a waiter", () -> other.inspect("a").waiters().size() == 1);
        child.terminate();
        assertThat(child.exitCode()).isEqualTo(TERMINATED);
        assertThat(until(child, "not granted")).contains("closed");
        until(child, "shutting down with 0");
        assertThat(other.inspect("a").waiters()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
      }
    }
  }

  @Nested
  class ALeader {
    @Test
    void is_interrupted_at_once_and_makes_room() throws Exception {
      try (ChildJvm child = child("lead")) {
        until(child, "leading");
        child.terminate();
        assertThat(child.exitCode()).isEqualTo(TERMINATED);
        assertThat(other.lock("a").tryAcquire()).isPresent();
      }
    }
  }

  private ChildJvm child(String what) throws IOException {
    return ChildJvm.start(ShutdownChild.class, what, directory);
  }

  /** The next line that begins so. */
  private static String until(ChildJvm child, String beginning) throws IOException {
    String line = child.line();
    while (!line.startsWith(beginning)) {
      line = child.line();
    }
    return line;
  }
}
