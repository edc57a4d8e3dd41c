// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.PostgresServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A standby keeps no locks; the one that takes over does. */
@Tag("postgresql")
class StandbyTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(2);

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void a_standby_is_refused_and_after_a_fail_over_waiters_get_on_and_tokens_grow(String mode)
      throws Exception {
    try (Database database = new Database()) {
      Holdfast.connect(database.address("mode=" + mode)).close();
      try (PostgresServer standby = database.server().startStandby()) {
        String parameters = "/postgres?mode=" + mode;
        Throwable refused =
            catchThrowable(
                () ->
                    Holdfast.connect(
                            "postgresql://postgres@"
                                + standby.hostAndPort()
                                + parameters
                                + "&targetServerType=any")
                        .close());
        assertThat(refused).isInstanceOf(BackendException.class).hasMessageContaining("standby");

        String both =
            "postgresql://postgres@"
                + database.server().hostAndPort()
                + ","
                + standby.hostAndPort()
                + parameters
                + "&session=10s";
        Holdfast one = database.client(BackendProvider.backendAt(both), LEASE);
        Holdfast other = database.client(BackendProvider.backendAt(both), LEASE);
        Lease held = one.lock("n").acquire(LONG);
        CompletableFuture<Optional<Lease>> waiter = other.lock("n").async().tryAcquire(LONG);
        Eventually.until("it waits", () -> one.inspect("n").waiters().size() == 1);
        database.server().stop();
        standby.promote();
        if (mode.equals("lease")) {
          Eventually.until("it is released", () -> isOver(held));
        }
        Lease next = waiter.get(60, TimeUnit.SECONDS).orElseThrow();
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        // In advisory mode there may have been two holders for a moment, as its guarantees say.
        Eventually.until("the old holder knows", () -> !held.isHeld());
      }
    }
  }

  private static boolean isOver(Lease lease) {
    try {
      lease.release();
      return true;
    } catch (BackendException notYet) {
      return false;
    }
  }
}
