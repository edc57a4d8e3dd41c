// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.BackendException;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.servers.PgBouncer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock of a session needs a session. */
@Tag("postgresql")
class PoolerTest {

  @ParameterizedTest
  @ValueSource(strings = {"transaction", "statement"})
  void advisory_mode_refuses_a_pooler_that_shares_sessions_and_says_what_to_do(String poolMode) {
    try (Database database = new Database();
        PgBouncer pooler = PgBouncer.start(database.server(), poolMode)) {
      Throwable failure =
          catchThrowable(() -> Holdfast.connect(address(pooler, "advisory")).close());
      assertThat(failure)
          .isInstanceOf(BackendException.class)
          .hasMessageContaining("transaction pooler")
          .hasMessageContaining("mode=lease");
      assertThat(((BackendException) failure).isTransient()).isFalse();
      assertThat(database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
          .isZero();
    }
  }

  @Test
  void advisory_mode_takes_a_pooler_that_gives_each_client_a_session() throws Exception {
    try (Database database = new Database();
        PgBouncer pooler = PgBouncer.start(database.server(), "session");
        Holdfast holdfast = Holdfast.connect(address(pooler, "advisory"))) {
      Lease lease = holdfast.lock("n").tryAcquire().orElseThrow();
      assertThat(holdfast.lock("n").tryAcquire()).isEmpty();
      assertThat(lease.release()).isTrue();
    }
  }

  private static String address(PgBouncer pooler, String mode) {
    return "postgresql://postgres@" + pooler.hostAndPort() + "/postgres?mode=" + mode;
  }
}
