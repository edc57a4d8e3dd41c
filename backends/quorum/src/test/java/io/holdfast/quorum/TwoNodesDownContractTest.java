// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import org.junit.jupiter.api.BeforeAll;

/** The contract with two of five nodes down. They are killed. */
class TwoNodesDownContractTest extends QuorumContract {

  @BeforeAll
  static void spoil() {
    for (int node = 3; node < 5; node++) {
      nodes.server(node).kill();
    }
  }
}
