// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import org.junit.jupiter.api.BeforeAll;

/**
 * The contract with two of five nodes cut off. What is sent to them, and what they send, is lost;
 * connections stay open.
 */
class TwoNodesBlackHoledContractTest extends QuorumContract {

  @BeforeAll
  static void spoil() {
    for (int node = 3; node < 5; node++) {
      nodes.network(node).loseEverything();
    }
  }
}
