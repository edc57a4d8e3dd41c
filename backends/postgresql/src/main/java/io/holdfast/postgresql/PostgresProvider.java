// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.Set;

/** Opens {@code postgresql:}. */
public final class PostgresProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public PostgresProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("postgresql");
  }

  @Override
  public LockBackend open(Address address) {
    return PostgresBackend.of(PostgresSettings.of(address), Connections.of(address));
  }
}
