// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.HeldLeases.Findings;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What many leases cost, as far as it does not depend on how fast the machine is. */
class HeldLeasesTest {
  private static final int LEASES = 20_000;

  private static Findings seen;

  @BeforeAll
  static void hold_many_leases_until_each_has_been_renewed() throws InterruptedException {
    // A lease time that a busy machine does not miss by being slow.
    seen = HeldLeases.measure(LEASES, Duration.ofSeconds(20), 1);
  }

  @Test
  void a_held_lease_takes_less_than_a_kibibyte_of_heap() {
    assertThat(seen.heapPerLease()).isBetween(1L, 1023L);
  }

  @Test
  void no_lease_has_a_thread_of_its_own() {
    // The JVM may start a few of its own meanwhile.
    assertThat(seen.threadsAfter()).isLessThan(seen.threadsBefore() + 8);
  }

  @Test
  void all_leases_are_renewed_and_none_is_lost() {
    assertThat(seen.rounds()).isGreaterThanOrEqualTo(1);
    assertThat(seen.stillHeld()).isEqualTo(LEASES);
  }

  @Test
  void renewals_travel_in_batches() {
    assertThat(seen.renewals().calls()).isLessThan(seen.renewals().holds() / 100);
  }
}
