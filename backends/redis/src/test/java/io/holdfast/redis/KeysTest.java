// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("redis")
class KeysTest {
  private static final List<String> NAMES =
      List.of("a", "a{b}", "{a}b", "a{b", "a}b", "{}a", "{}", "a{}b{c}", "}{", "{a}{b}", "a:fence");

  private final Keys keys = new Keys("lock:");

  @Test
  void the_key_of_a_lock_is_the_plain_one() {
    assertThat(keys.of("orders/17").lock()).isEqualTo("lock:orders/17");
  }

  @Test
  void all_keys_of_a_lock_are_in_the_slot_of_the_plain_one() {
    for (String name : NAMES) {
      Keys.LockKeys lock = keys.of(name);
      assertThat(lock.allAndForced()).extracting(Slots::of).containsOnly(Slots.of(lock.lock()));
    }
  }

  @Test
  void no_two_locks_share_a_key() {
    Set<String> all = new HashSet<>();
    for (String name : NAMES) {
      assertThat(Arrays.stream(keys.of(name).allAndForced()).allMatch(all::add)).isTrue();
    }
  }

  @Test
  void a_lock_is_found_by_its_key_and_by_its_queue() {
    for (String name : NAMES) {
      assertThat(keys.nameOfAny(keys.of(name).lock())).contains(name);
      assertThat(keys.nameOfAny(keys.of(name).queue())).contains(name);
      assertThat(keys.nameOfAny(keys.of(name).forced())).isEmpty();
    }
  }

  @Test
  void there_is_a_tag_for_each_slot() {
    for (int slot = 0; slot < 16_384; slot++) {
      assertThat(Slots.of("{" + Slots.tag(slot) + "}:x")).isEqualTo(slot);
    }
    // Other versions must find the same ones.
    assertThat(Slots.tag(0)).isEqualTo("1bz");
    assertThat(Slots.tag(16_383)).isEqualTo("hia");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hf:", "hf:lock:", "{lock}:"})
  void a_prefix_that_could_be_mistaken_for_something_else_is_refused(String prefix) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Keys(prefix));
  }
}
