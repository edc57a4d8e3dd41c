// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a run whose lock is in PostgreSQL. */
@Tag("postgresql")
class PostgresqlLossTest extends LossCases {
  private final PostgresServer server = PostgresServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private static String url(String hostAndPort) {
    return "postgresql://postgres@" + hostAndPort + "/postgres?" + PATIENT;
  }

  @Test
  void they_do_not_overlap_when_the_server_is_stopped() {
    serverIsStopped(url(server.hostAndPort()), server::pause, server::resume);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "advisory"})
  void they_do_not_overlap_when_the_network_of_one_is_cut(String mode) {
    try (FaultyProxy network = new FaultyProxy(server.port())) {
      networkIsCut(
          url(network.hostAndPort()) + "&mode=" + mode,
          url(server.hostAndPort()) + "&mode=" + mode,
          network);
    }
  }
}
