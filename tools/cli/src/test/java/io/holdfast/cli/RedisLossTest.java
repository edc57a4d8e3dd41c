// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to a run whose lock is in Redis. */
@Tag("redis")
class RedisLossTest extends LossCases {
  private final RedisServer server = RedisServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private String url() {
    return url(server.hostAndPort());
  }

  private static String url(String hostAndPort) {
    return "redis://" + hostAndPort + "?" + PATIENT;
  }

  @Test
  void they_do_not_overlap_when_the_keeper_is_killed() {
    keeperIsKilled(url());
  }

  @Test
  void they_do_not_overlap_when_the_keeper_is_stopped() {
    keeperIsStopped(url());
  }

  @Test
  void they_do_not_overlap_when_holdfast_is_killed() {
    supervisorIsKilled(url());
  }

  @Test
  void they_do_not_overlap_when_the_server_is_stopped() {
    serverIsStopped(url(), server::pause, server::resume);
  }

  @Test
  void they_do_not_overlap_when_the_network_of_one_is_cut() {
    try (FaultyProxy network = new FaultyProxy(server.port())) {
      networkIsCut(url(network.hostAndPort()), url(), network);
    }
  }
}
