// SPDX-License-Identifier: Apache-2.0
package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.harness.Client;
import io.holdfast.benchmarks.harness.Contender;
import io.holdfast.benchmarks.harness.Interleaved;
import io.holdfast.benchmarks.harness.Metrics;
import io.holdfast.benchmarks.harness.Plan;
import io.holdfast.testkit.servers.RedisServer;
import java.util.LinkedHashMap;
import java.util.Map;

/** A server, and one client of each contender, all connected from the beginning to the end. */
final class Contest implements AutoCloseable {
  /** One of them, and its server. */
  record Player(Contender contender, Client client, RedisServer server) {}

  /** A turn of one of them. */
  interface Turn {
    Metrics measure(Player player, Plan plan) throws Exception;
  }

  private final RedisServer server;
  private final Map<String, Player> players = new LinkedHashMap<>();

  private Contest(RedisServer server) {
    this.server = server;
  }

  static Contest open(RedisServer server, Map<String, Contender> contenders) throws Exception {
    Contest contest = new Contest(server);
    for (Map.Entry<String, Contender> each : contenders.entrySet()) {
      Client client = each.getValue().connect(server.hostAndPort());
      contest.players.put(each.getKey(), new Player(each.getValue(), client, server));
    }
    return contest;
  }

  Map<String, Metrics> run(String workload, Plan plan, Turn turn) throws Exception {
    return Interleaved.run(
        workload,
        plan,
        players,
        player -> {
          // Nobody is to be slowed down by what others left, nor helped.
          server.call("FLUSHALL");
          return turn.measure(player, plan);
        });
  }

  @Override
  public void close() {
    for (Player player : players.values()) {
      player.client().close();
    }
    server.close();
  }
}
