// SPDX-License-Identifier: Apache-2.0
package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.BackendException;
import io.holdfast.BackendException.Outcome;
import io.holdfast.Holdfast;
import io.holdfast.LeaseGroup;
import io.holdfast.spi.BackendProvider;
import io.holdfast.testkit.FaultyBackend;
import io.holdfast.testkit.FaultyBackend.Verb;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several leases as one, of which some fare worse than the others. */
class GroupEndsTest {
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final ManualTime time = new ManualTime();
  private final FaultyBackend store = new FaultyBackend(BackendProvider.backendAt("memory:"));
  private final Holdfast holdfast =
      Holdfast.builder(store).time(time).callbacks(Runnable::run).shutdownHook(false).build();

  @AfterEach
  void close() {
    store.heal();
    holdfast.close();
  }

  @Test
  void has_left_what_the_lease_has_left_that_ends_first() throws Exception {
    LeaseGroup group = holdfast.acquireAll(List.of("a", "b"), WAIT);
    time.advance(Duration.ofSeconds(5));
    group.lease("b").renew();
    assertThat(group.remaining()).isEqualTo(group.lease("a").remaining());
    assertThat(group.remaining()).isLessThan(group.lease("b").remaining());
  }

  @Test
  void is_released_as_far_as_the_store_answers_and_says_what_failed() throws Exception {
    LeaseGroup group = holdfast.acquireAll(List.of("a", "b"), WAIT);
    store.next(Verb.RELEASE).fail(Outcome.UNKNOWN);
    assertThatExceptionOfType(BackendException.class).isThrownBy(group::release);
    assertThat(store.calls(Verb.RELEASE)).isEqualTo(2);
    assertThat(holdfast.inspect("a").isFree()).isTrue();
    assertThat(holdfast.inspect("b").isFree()).as("the last one is released first").isFalse();
  }
}
