// SPDX-License-Identifier: Apache-2.0
package io.holdfast.quorum;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract with five real nodes, two of which may be in trouble. */
@Tag("quorum")
abstract class QuorumContract extends LockBackendContract {
  static RedisNodes nodes;

  @BeforeAll
  static void found() {
    nodes = new RedisNodes(5);
    nodes.found("longest=60s");
  }

  private static String address() {
    return nodes.address("longest=60s");
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt(address());
  }

  /** With a minority down already, no other node can be spared. */
  @Override
  protected void restartStore() {
    Assumptions.abort("not claimed: a restart of more nodes while two of five are down");
  }

  @Override
  protected Duration leaseTime() {
    return Duration.ofSeconds(2);
  }
}
