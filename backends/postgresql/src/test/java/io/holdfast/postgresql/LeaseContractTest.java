// SPDX-License-Identifier: Apache-2.0
package io.holdfast.postgresql;

import io.holdfast.spi.BackendProvider;
import io.holdfast.spi.LockBackend;
import io.holdfast.testkit.LockBackendContract;
import io.holdfast.testkit.servers.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("postgresql")
class LeaseContractTest extends LockBackendContract {
  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected LockBackend openBackend() {
    return BackendProvider.backendAt(
        "postgresql://postgres@" + server.hostAndPort() + "/postgres?mode=lease&timeout=4s");
  }

  /** Longer than a connection takes to be made on a busy machine. */
  @Override
  protected Duration leaseTime() {
    return Duration.ofSeconds(2);
  }

  @Override
  protected void restartStore() {
    server.crash();
    server.restart();
  }
}
