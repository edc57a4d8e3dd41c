// SPDX-License-Identifier: Apache-2.0
package io.holdfast.redis;

import io.holdfast.testkit.servers.Eventually;
import io.holdfast.testkit.servers.FaultyProxy;
import io.holdfast.testkit.servers.RedisServer;
import io.holdfast.testkit.servers.SettableClock;
import java.util.ArrayList;
import java.util.List;

/** Three primaries with a replica each. */
final class RedisCluster implements Deployment {
  private static final int PRIMARIES = 3;

  private final List<RedisServer> servers = new ArrayList<>();
  private final String timeout;

  RedisCluster() {
    this(RedisServer.binary());
  }

  /** Takes no node for dead that a busy machine keeps waiting, and nor do its clients. */
  static RedisCluster thatIsPatient() {
    return patient((node, options) -> RedisServer.startBinary(RedisServer.binary(), options));
  }

  private static RedisCluster patient(Starter starter) {
    return new RedisCluster("4s", starter, "--cluster-node-timeout", "60000");
  }

  /** The replicas go by another clock than the primaries; starts only from Redis 6.2. */
  static RedisCluster withReplicasThatGoBy(SettableClock clock) {
    String binary = OldRedis.binary();
    return patient(
        (node, options) ->
            node < PRIMARIES
                ? RedisServer.startBinary(binary, options)
                : RedisServer.startBinary(binary, clock, options));
  }

  RedisCluster(String binary, String... options) {
    this("2s", (node, all) -> RedisServer.startBinary(binary, all), options);
  }

  private interface Starter {
    RedisServer start(int node, String... options);
  }

  private RedisCluster(String timeout, Starter starter, String... options) {
    this.timeout = timeout;
    List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
    all.addAll(List.of("--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000"));
    // Otherwise one stopped primary stops them all.
    all.addAll(List.of("--cluster-require-full-coverage", "no"));
    all.addAll(List.of(options));
    for (int node = 0; node < 2 * PRIMARIES; node++) {
      servers.add(starter.start(node, all.toArray(String[]::new)));
    }
    for (int node = 0; node < PRIMARIES; node++) {
      int from = 16_384 * node / PRIMARIES;
      int to = 16_384 * (node + 1) / PRIMARIES;
      List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = from; slot < to; slot++) {
        command.add(Integer.toString(slot));
      }
      servers.get(node).call(command.toArray(String[]::new));
    }
    // Nodes that meet with equal epochs raise them one after another, for seconds: a replica that
    // takes over meanwhile may be outdone by its primary, which then stays one.
    for (int node = 0; node < servers.size(); node++) {
      servers.get(node).call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(node + 1));
    }
    for (RedisServer server : servers) {
      String port = Integer.toString(servers.get(0).port());
      server.call("CLUSTER", "MEET", "127.0.0.1", port);
    }
    for (RedisServer server : servers) {
      Eventually.until("the nodes know each other", () -> knowsAll(server));
    }
    for (int replica = PRIMARIES; replica < servers.size(); replica++) {
      RedisServer primary = servers.get(replica - PRIMARIES);
      String id = primary.call("CLUSTER", "MYID").toString();
      servers.get(replica).call("CLUSTER", "REPLICATE", id);
    }
    awaitUp();
    for (RedisServer primary : primaries()) {
      Eventually.until("the replicas follow", () -> SentinelGroup.replicas(primary) == 1);
    }
  }

  @Override
  public void restart() {
    servers.forEach(RedisServer::kill);
    servers.forEach(RedisServer::restart);
    awaitUp();
  }

  void awaitUp() {
    for (RedisServer server : servers) {
      Eventually.until(
          "the cluster is up",
          () -> server.call("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
    }
  }

  /** Has clients go through these proxies, one for each primary. */
  List<FaultyProxy> putProxies() {
    List<FaultyProxy> proxies = new ArrayList<>();
    for (RedisServer primary : primaries()) {
      FaultyProxy proxy = new FaultyProxy(primary.port());
      String port = Integer.toString(proxy.port());
      proxies.add(proxy);
      primary.call("CONFIG", "SET", "cluster-announce-port", port);
      for (RedisServer server : servers) {
        Eventually.until(
            "the proxy is known",
            () -> server.call("CLUSTER", "SLOTS").toString().contains(", " + port + ","));
      }
    }
    return proxies;
  }

  /**
   * Whether it has heard of all nodes, and of the latest epoch, which a take-over has to exceed.
   */
  private boolean knowsAll(RedisServer server) {
    String info = server.call("CLUSTER", "INFO").toString();
    return info.contains("cluster_known_nodes:" + servers.size() + "\r\n")
        && info.contains("cluster_current_epoch:" + servers.size() + "\r\n");
  }

  @Override
  public String address() {
    return "redis-cluster://" + servers.get(0).hostAndPort() + "?timeout=" + timeout;
  }

  List<RedisServer> primaries() {
    return servers.subList(0, PRIMARIES);
  }

  /** The primary, of those at the start, that has this slot. */
  RedisServer primaryOf(int slot) {
    for (int node = 0; node < PRIMARIES; node++) {
      if (slot < 16_384 * (node + 1) / PRIMARIES) {
        return servers.get(node);
      }
    }
    throw new IllegalArgumentException("no slot: " + slot);
  }

  /** The first and the last slot that this primary has at the start. */
  String[] slotsOf(RedisServer primary) {
    int node = servers.indexOf(primary);
    int last = 16_384 * (node + 1) / PRIMARIES - 1;
    return new String[] {Integer.toString(16_384 * node / PRIMARIES), Integer.toString(last)};
  }

  /** The replica, at the start, of this primary. */
  RedisServer replicaOf(RedisServer primary) {
    return servers.get(servers.indexOf(primary) + PRIMARIES);
  }

  /** Makes the replica the primary, though the others have not agreed. */
  static void takeOver(RedisServer replica) {
    replica.call("CLUSTER", "FAILOVER", "TAKEOVER");
    Eventually.until("it is the primary", () -> replica.call("ROLE").toString().contains("master"));
  }

  List<RedisServer> servers() {
    return servers;
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
