// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import org.junit.jupiter.api.BeforeAll;

/** The contract with two of five nodes stopped. They stand still, and their sockets stay open. */
class TwoNodesStoppedContractTest extends QuorumContract {

  @BeforeAll
  static void spoil() {
    for (int node = 3; node < 5; node++) {
      nodes.server(node).pause();
    }
  }
}
