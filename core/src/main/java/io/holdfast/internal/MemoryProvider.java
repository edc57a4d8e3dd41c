// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.Set;

/** {@code memory:} is a store of its own; {@code memory:NAME} one that this JVM shares. */
public final class MemoryProvider implements BackendProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("memory");
  }

  @Override
  public LockBackend open(Address address) {
    address.requireOnly(Set.of());
    return new MemoryBackend(MemoryStore.named(address.path()));
  }
}
