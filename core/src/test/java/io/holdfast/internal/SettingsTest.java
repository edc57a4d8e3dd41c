// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Guarantees;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  @Nested
  class FromTheEnvironment {
    @ParameterizedTest
    @CsvSource({"500ms,500", "30s,30000", "5m,300000", "2 h,7200000", "1d,86400000", "PT30S,30000"})
    void times_are_read_as_people_write_them(String text, long millis) {
      Environment environment = new Environment(Map.of("HOLDFAST_LEASE_TIME", text));
      assertThat(environment.time("HOLDFAST_LEASE_TIME", Duration.ZERO))
          .isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "30", "-5s", "5 parsecs"})
    void nonsense_is_refused_with_the_name_of_the_variable_and_its_value(String text) {
      Environment environment = new Environment(Map.of("HOLDFAST_LEASE_TIME", text));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> environment.time("HOLDFAST_LEASE_TIME", Duration.ZERO))
          .withMessageContaining("HOLDFAST_LEASE_TIME")
          .withMessageContaining(text);
    }

    @Test
    void numbers_and_flags_have_defaults() {
      Environment environment = new Environment(Map.of("N", "7", "F", "off", "BLANK", " "));
      assertThat(environment.number("N", 1)).isEqualTo(7);
      assertThat(environment.number("BLANK", 1)).isEqualTo(1);
      assertThat(environment.flag("F", true)).isFalse();
      assertThat(environment.flag("ABSENT", true)).isTrue();
    }

    @Test
    void a_missing_address_is_refused_with_the_name_of_the_variable() {
      assertThatIllegalStateException()
          .isThrownBy(Holdfast::connect)
          .withMessageContaining("HOLDFAST_URL");
    }
  }

  @Nested
  class FromTheBuilder {
    private final Holdfast.Builder builder = Holdfast.builder("memory:");

    @Test
    void a_lease_time_of_zero_is_refused() {
      assertThatIllegalArgumentException().isThrownBy(() -> builder.leaseTime(Duration.ZERO));
    }

    @Test
    void a_lease_time_that_the_backend_cannot_honour_is_refused_with_its_bounds() {
      Holdfast.Builder short_ = builder.leaseTime(Duration.ofNanos(1));
      assertThatIllegalArgumentException()
          .isThrownBy(short_::build)
          .withMessageContaining("memory")
          .withMessageContaining("PT0.01S");
    }

    @Test
    void no_lease_time_means_the_default_or_the_nearest_that_the_backend_can_honour() {
      LeaseTimes none = new LeaseTimes(null, "nothing");
      assertThat(none.in(honouring(1, 60))).isEqualTo(Duration.ofSeconds(30));
      assertThat(none.in(honouring(1, 20))).isEqualTo(Duration.ofSeconds(20));
      assertThat(none.in(honouring(40, 60))).isEqualTo(Duration.ofSeconds(40));
    }

    private static Guarantees honouring(long shortestSeconds, long longestSeconds) {
      return new Guarantees(
          "test",
          Guarantees.Exclusion.LOCAL,
          "always",
          "never",
          "always",
          "nothing",
          Set.of(),
          Duration.ofSeconds(shortestSeconds),
          Duration.ofSeconds(longestSeconds));
    }

    @Test
    void more_passes_than_a_store_mints_tokens_for_are_refused() {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.localPasses(1_000, Duration.ofMillis(1)))
          .withMessageContaining("999");
    }

    @Test
    void a_pace_that_lets_stores_forget_a_waiter_is_refused() {
      Holdfast.Builder slow = builder.pacing(Duration.ofMillis(1), Duration.ofSeconds(30));
      assertThatIllegalArgumentException().isThrownBy(slow::build).withMessageContaining("PT30S");
    }

    @Test
    void an_unknown_scheme_is_refused_with_the_known_ones() {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Holdfast.connect("rediss-typo://host"))
          .withMessageContaining("rediss-typo")
          .withMessageContaining("memory");
    }
  }

  @Nested
  class Pace {
    private final Pacing pacing =
        new Pacing(Duration.ofMillis(20), Duration.ofSeconds(3), new Random(42));

    @Test
    void doubles_up_to_its_bound_and_is_never_zero() {
      for (int tries = 0; tries < 100; tries++) {
        long top = Math.min(3_000, 20L << Math.min(tries, 20));
        assertThat(Duration.ofNanos(pacing.backOffNanos(tries)))
            .isBetween(Duration.ofMillis(top / 2), Duration.ofMillis(top));
      }
    }

    @Test
    void follows_the_store_within_bounds() {
      assertThat(Duration.ofNanos(pacing.proposedNanos(Duration.ofNanos(1))))
          .isBetween(Duration.ofMillis(20), Duration.ofMillis(22));
      assertThat(Duration.ofNanos(pacing.proposedNanos(Duration.ofDays(1))))
          .isBetween(Duration.ofMillis(3_000), Duration.ofMillis(3_300));
    }

    @Test
    void differs_each_time_so_that_many_clients_do_not_ask_in_step() {
      assertThat(LongStream.range(0, 100).map(i -> pacing.backOffNanos(5)).distinct().count())
          .isGreaterThan(90);
      Duration recheck = Duration.ofSeconds(1);
      assertThat(
              LongStream.range(0, 100).map(i -> pacing.proposedNanos(recheck)).distinct().count())
          .isGreaterThan(90);
    }
  }
}
