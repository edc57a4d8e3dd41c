// SPDX-License-Identifier: Apache-2.0
import io.holdfast.spi.BackendProvider;
import org.jspecify.annotations.NullMarked;

/**
 * Distributed locks with leases and fencing tokens: the API, the SPI for stores, and the runtime.
 */
@NullMarked
module io.holdfast {
  requires transitive org.jspecify;
  requires org.slf4j;

  exports io.holdfast;
  exports io.holdfast.spi;

  uses BackendProvider;

  provides BackendProvider with
      io.holdfast.internal.MemoryProvider,
      io.holdfast.internal.FileProvider;
}
