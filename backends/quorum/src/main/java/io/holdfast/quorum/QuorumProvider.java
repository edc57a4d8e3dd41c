// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.Address;
import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import java.util.Set;

/** Opens {@code quorum:}. */
public final class QuorumProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public QuorumProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("quorum");
  }

  @Override
  public LockBackend open(Address address) {
    return QuorumBackend.at(address);
  }
}
