// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The order itself is tried by {@link TimetableTest}. */
class DueHeapTest {
  private final DueHeap heap = new DueHeap();

  @Test
  void gives_the_numbers_of_those_that_went_to_those_that_come() {
    int kept = heap.add(5);
    for (int i = 0; i < 10_000; i++) {
      int one = heap.add(i);
      int other = heap.add(-i);
      assertThat(Set.of(kept, one, other)).containsExactlyInAnyOrder(0, 1, 2);
      heap.remove(i % 2 == 0 ? one : other);
      heap.remove(i % 2 == 0 ? other : one);
    }
    assertThat(heap.first()).isEqualTo(kept);
    assertThat(heap.size()).isEqualTo(1);
  }

  @Test
  void numbers_are_different_while_they_are_in_use_however_many_there_are() {
    Set<Integer> numbers = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      numbers.add(heap.add(1_000 - i));
    }
    assertThat(numbers).hasSize(1_000);
    for (int i = 1; i <= 1_000; i++) {
      assertThat(heap.firstNanos()).isEqualTo(i);
      heap.remove(heap.first());
    }
    assertThat(heap.size()).isZero();
  }
}
