// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Mode;
import io.holdfast.spi.LockBackend.Acquisition.Held;
import io.holdfast.spi.LockBackend.Hold;
import io.holdfast.spi.LockBackend.Renewal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of one machine, some of which die. */
@Tag("file")
class FileProcessesTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir private Path directory;

  private ChildJvm child(String command) throws Exception {
    return ChildJvm.start(FileChild.class, command, directory, "a");
  }

  private Holdfast holdfast() {
    return Holdfast.connect("file:" + directory);
  }

  @Nested
  class AProcessThatHolds {
    @Test
    void excludes_the_others_and_says_who_it_is() throws Exception {
      try (ChildJvm child = child("hold");
          Holdfast holdfast = holdfast()) {
        child.line();
        assertThat(holdfast.lock("a").tryAcquire()).isEmpty();
        assertThat(holdfast.inspect("a").holders())
            .singleElement()
            .satisfies(
                holding -> assertThat(holding.origin().orElseThrow().pid()).isEqualTo(child.pid()));
      }
    }

    @Test
    void frees_the_lock_at_once_when_it_is_killed() throws Exception {
      try (ChildJvm child = child("hold");
          Holdfast holdfast = holdfast()) {
        long token = Long.parseLong(child.line());
        child.kill();
        assertThat(holdfast.inspect("a").isFree()).isTrue();
        try (Lease lease = holdfast.lock("a").tryAcquire().orElseThrow()) {
          assertThat(lease.token().value()).isGreaterThan(token);
        }
      }
    }

    @Test
    void lets_its_waiters_on_promptly_when_it_is_killed() throws Exception {
      try (ChildJvm child = child("hold");
          FileClient client = FileClient.in(directory)) {
        child.line();
        Hold waiter = client.hold("a");
        assertThat(client.acquire(waiter, LONG)).isInstanceOf(Held.class);
        child.kill();
        // The lease would last an hour, and this waiter does not ask again.
        Await.until("the grant", () -> client.granted.containsKey(waiter.holder()));
      }
    }
  }

  @Nested
  class AProcessThatWaits {
    @Test
    void does_not_hold_up_those_behind_it_when_it_is_killed() throws Exception {
      try (Holdfast holdfast = holdfast();
          Lease lease = holdfast.lock("a").acquire(LONG);
          FileClient client = FileClient.in(directory);
          ChildJvm child = child("wait")) {
        child.line();
        Hold behind = client.hold("a", Mode.SHARED);
        assertThat(client.acquire(behind, LONG)).isInstanceOf(Held.class);
        assertThat(holdfast.inspect("a").waiters()).hasSize(2);
        child.kill();
        assertThat(holdfast.inspect("a").waiters()).hasSize(1);
        lease.release();
        Await.until("the grant", () -> client.granted.containsKey(behind.holder()));
      }
    }

    @Test
    void lets_readers_in_when_it_wanted_to_write_and_is_killed() throws Exception {
      try (Holdfast holdfast = holdfast();
          Lease lease = holdfast.lock("a").shared().acquire(LONG);
          FileClient client = FileClient.in(directory);
          ChildJvm child = child("wait")) {
        child.line();
        Hold reader = client.hold("a", Mode.SHARED);
        assertThat(client.acquire(reader, LONG)).isInstanceOf(Held.class);
        child.kill();
        Await.until("the grant", () -> client.granted.containsKey(reader.holder()));
        assertThat(lease.isHeld()).isTrue();
      }
    }

    @Test
    void is_woken_by_another_process() throws Exception {
      try (Holdfast holdfast = holdfast();
          ChildJvm child = child("wait")) {
        Lease lease = holdfast.lock("a").acquire(LONG);
        assertThat(child.line()).isEqualTo("waiting");
        lease.release();
        Await.until(
            "the other's hold",
            () ->
                holdfast.inspect("a").holders().stream()
                    .anyMatch(holding -> holding.origin().orElseThrow().pid() == child.pid()));
      }
    }
  }

  @Nested
  class AProcessThatIsKilledInTheMiddleOfAWrite {
    /** So many rows that a write takes a while, and is likely to be hit. */
    private static final int ROWS = 500;

    @Test
    void loses_nothing_and_repeats_no_token() throws Exception {
      Random random = new Random(20);
      try (FileClient one = FileClient.in(directory)) {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
          holds.add(one.hold("a", Mode.SHARED));
          one.acquireNow(holds.get(i));
        }
        long newest = 0;
        for (int round = 0; round < 8; round++) {
          newest = killAfterSomeTokens(random, newest);
          long next = one.acquireNow(one.hold("a", Mode.SHARED));
          assertThat(next).isGreaterThan(newest);
          newest = next;
          assertThat(FileClient.await(one.backend.renew(holds))).containsOnly(Renewal.RENEWED);
        }
      }
    }

    private long killAfterSomeTokens(Random random, long before) throws Exception {
      try (ChildJvm child = child("share")) {
        long newest = before;
        for (int i = 0; i < 5; i++) {
          long token = Long.parseLong(child.line());
          assertThat(token).isGreaterThan(newest);
          newest = token;
        }
        LockSupport.parkNanos(random.nextInt(20_000_000));
        child.kill();
        return child.rest().stream().mapToLong(Long::parseLong).max().orElse(newest);
      }
    }
  }

  @Nested
  class AProcessThatIsStoppedInTheMutex {
    @Test
    void makes_requests_fail_in_bounded_time_without_effect() throws Exception {
      try (FileClient one = FileClient.in(directory);
          ChildJvm child = child("stop-in-the-mutex")) {
        assertThat(child.line()).isEqualTo("in");
        BackendException failure = FileClient.failureOf(one.asked(one.hold("a")));
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_APPLIED);
        assertThat(failure.isTransient()).isTrue();
        one.acquireNow(one.hold("b"));
        child.kill();
        one.acquireNow(one.hold("a"));
      }
    }
  }
}
