// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

/** The contract with all five nodes up. */
class AllNodesUpContractTest extends QuorumContract {
  /** All at once, and with no data: the tokens go on by the clock. */
  @Override
  protected void restartStore() {
    for (int node = 0; node < nodes.size(); node++) {
      nodes.server(node).kill();
    }
    for (int node = 0; node < nodes.size(); node++) {
      nodes.server(node).restart();
    }
    // They have lost their data, and no client is left that holds a lock: they need not rest.
    nodes.found("longest=60s");
  }
}
