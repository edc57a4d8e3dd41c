// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The primary is whom the sentinels name, also after a fail-over. */
@Tag("redis")
class SentinelTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static SentinelGroup group;

  private final Clients clients = new Clients();

  @BeforeAll
  static void start() {
    group = new SentinelGroup();
  }

  @AfterAll
  static void stop() {
    group.close();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void a_planned_fail_over_leads_to_the_new_primary_and_a_waiter_is_served() throws Exception {
    Holdfast one = clients.openAt(group.address(), LEASE);
    Holdfast other = clients.openAt(group.address(), LEASE);
    Lease held = one.lock("n").acquire(LONG);
    CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
    Clients.awaitWaiters(one, "n", 1);
    group.failOver();
    Eventually.until("the lock is released", () -> isReleased(held));
    Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
    assertThat(next.token().isNewerThan(held.token())).isTrue();
    Eventually.until("the waiter has released it", () -> isReleased(next)); // Cut off once more.
    Lease last = one.lock("n").acquire(LONG);
    Eventually.until("the last one has released it", () -> isReleased(last));
  }

  private static boolean isReleased(Lease lease) {
    try {
      lease.release();
      return true;
    } catch (BackendException notYet) {
      return false;
    }
  }

  @Test
  void a_primary_that_stands_still_is_replaced_and_service_resumes() throws Exception {
    Holdfast one = clients.openAt(group.address(), LEASE);
    Lease before = one.lock("n").acquire(LONG);
    RedisServer old = group.primary();
    old.pause();
    try {
      Eventually.until("another is the primary", () -> group.primary() != old);
      Lease after = one.lock("m").acquire(LONG);
      assertThat(after.isHeld()).isTrue();
      after.release();
      Eventually.until("the old one is released", () -> isReleased(before));
    } finally {
      old.resume();
    }
  }

  @Test
  void sentinels_with_a_password_of_their_own_are_asked_with_it() {
    String password = "of-sentinels";
    try (SentinelGroup guarded = SentinelGroup.withSentinelPassword(password)) {
      String address = guarded.address();
      Holdfast one = clients.openAt(address + "&sentinel-password=" + password, LEASE);
      assertThat(one.lock("n").tryAcquire()).isPresent();
      assertRefused(() -> clients.openAt(address, LEASE));
      assertRefused(() -> clients.openAt(address + "&sentinel-password=wrong", LEASE));
      var built = RedisBackend.builder(address).sentinelCredentials("default", password).build();
      try (Holdfast other = Holdfast.builder(built).shutdownHook(false).build()) {
        assertThat(other.lock("m").tryAcquire()).isPresent();
      }
      one.close();
    }
  }

  private static void assertRefused(ThrowingCallable connect) {
    assertThatThrownBy(connect)
        .isInstanceOfSatisfying(
            BackendException.class,
            refusal -> {
              assertThat(refusal.outcome()).isEqualTo(BackendException.Outcome.NOT_APPLIED);
              assertThat(refusal.isTransient()).isFalse();
            });
  }
}
