// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A resource whose lock moves to PostgreSQL has seen tokens of another store. */
@Tag("postgresql")
class TokensTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** What every other store would grant now. */
  private static long tokenElsewhere() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void tokens_of_a_new_schema_are_newer_than_those_of_other_stores(String mode) {
    try (Database database = new Database()) {
      long elsewhere = tokenElsewhere();
      Holdfast holdfast = database.client("mode=" + mode, LEASE);
      assertThat(holdfast.lock("n").tryAcquire().orElseThrow().token().value())
          .isGreaterThan(elsewhere);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"advisory", "lease"})
  void tokens_that_were_advanced_are_newer_than_those_of_other_stores_until_then(String mode) {
    try (Database database = new Database()) {
      Holdfast holdfast = database.client("mode=" + mode, LEASE);
      database.run("SELECT setval('holdfast.token', 64)"); // The schema was made long ago.
      long elsewhere = tokenElsewhere();
      database.run("SELECT holdfast.advance_tokens()");
      assertThat(holdfast.lock("n").tryAcquire().orElseThrow().token().value())
          .isGreaterThan(elsewhere);
    }
  }
}
