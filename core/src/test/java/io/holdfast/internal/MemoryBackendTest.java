// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import org.junit.jupiter.api.Test;

class MemoryBackendTest {
  private final MemoryStore store = MemoryStore.named("");

  @Test
  void keeps_nothing_of_a_lock_that_was_released() {
    try (Holdfast holdfast =
        Holdfast.builder(new MemoryBackend(store)).shutdownHook(false).build()) {
      holdfast.lock("a").tryAcquire().orElseThrow().release();
      assertThat(store.tables).isEmpty();
    }
  }
}
