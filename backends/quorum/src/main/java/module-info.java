// SPDX-License-Identifier: Apache-2.0
import io.holdfast.quorum.QuorumProvider;
import io.holdfast.spi.BackendProvider;
import org.jspecify.annotations.NullMarked;

/** Locks on a majority of independent stores. */
@NullMarked
module io.holdfast.quorum {
  requires transitive io.holdfast;
  requires org.slf4j;

  exports io.holdfast.quorum;

  provides BackendProvider with
      QuorumProvider;
}
