// SPDX-License-Identifier: Apache-2.0
package io.holdfast.testkit;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.TimeSource;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

@Tag("memory")
class MemoryContractTest extends LockBackendContract {
  private final String store = "memory:" + UUID.randomUUID();

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt(store);
  }

  @Override
  protected TimeSource time() {
    return new ManualTime();
  }
}
